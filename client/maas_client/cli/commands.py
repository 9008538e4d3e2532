"""The commands. Each returns its exit code."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from uuid import uuid4

from maas_client.calls import LISTED, Filters
from maas_client.cli.codes import DONE, INTERRUPTED, JOB_FAILED, REFUSED
from maas_client.cli.interruption import Left, not_lost
from maas_client.cli.output import fields_as_json, fields_as_text, printable, rendered
from maas_client.cli.progress import Display, display, say
from maas_client.cli.tables import print_table, when
from maas_client.cli.unpacking import require_archives, unpack
from maas_client.client import Client
from maas_client.errors import ConnectionFailed, InvalidRequest, Unavailable
from maas_client.job_filters import JobFilters
from maas_client.resources import Event, Job, Result, SearchHit
from maas_client.submissions import Work
from maas_client.uploads import Progress

Named = tuple[str, Result]
OF_FIELDS = ("text", "json", "csv", "xlsx")
"""The formats of fields alone."""
IN_A_FILE = frozenset({"pdf", "xlsx"})
"""The formats that are not for the terminal."""
ONE_FILE = IN_A_FILE | {"html"}
"""The formats that cannot hold several results one after the other."""


def run(client: Client, given: argparse.Namespace) -> int:
    """Submit everything before waiting for anything, so that the service works on all of it at once."""
    if bool(given.files) == (given.text is not None):
        given.parser.error("give files or --text, and not both")
    if given.fields:
        _require_format_of_fields(given)
    elif given.format in ONE_FILE:
        _require_one_file(given)
    if given.unpack:
        require_archives(given)
    submitted: list[tuple[str, Job]] = []
    with not_lost(submitted):
        with display() as shown:
            all_in = (unpack if given.unpack else _submit)(client, given, shown, submitted)
            results = [(name, client.wait(job.id, told=partial(shown.pages, name))) for name, job in submitted]
        if results:
            _write(client, given, [result for _, result in results])
    if not all_in:
        return REFUSED
    return _judged(results)


def _submit(client: Client, given: argparse.Namespace, shown: Display, submitted: list[tuple[str, Job]]) -> bool:
    """Submit all work and return whether all was accepted.

    Each job is added to the caller's list, so that the caller knows it even after an interruption.
    """
    own_key = given.idempotency_key or uuid4().hex
    for name, file, key in _works(given, own_key):
        try:
            job = _submitted(client, given, file, key, shown.upload(name))
        except InvalidRequest as refusal:
            if file is None:
                raise
            # The other files may be valid.
            say(f"maas: {name}: {refusal}")
        except (ConnectionFailed, Unavailable):
            say(f"maas: {name}: not known to have arrived; again without a second job: --idempotency-key {own_key}")
            raise
        else:
            submitted.append((name, job))
            shown.submitted(name, job)
    return len(submitted) == len(given.files or ["text"])


def _works(given: argparse.Namespace, own_key: str) -> list[tuple[str, Path | str | None, str]]:
    """Return the name, the file or URL, and the key of each job. Each of several files is a job with its own key."""
    if given.text is not None:
        return [("text", None, own_key)]
    several = len(given.files) > 1
    return [
        (_shown(file), file, f"{own_key}-{number}" if several else own_key)
        for number, file in enumerate(given.files, 1)
    ]


def _shown(file: Path | str) -> str:
    """Return a file or URL without its query, which may contain a secret."""
    return str(file).partition("?")[0]


def _submitted(client: Client, given: argparse.Namespace, file: Path | str | None, key: str, progress: Progress) -> Job:
    how: Work = {"parameters": dict(given.parameter), "idempotency_key": key}
    if given.priority is not None:
        how["priority"] = given.priority
    if given.expires_after is not None:
        how["expires_after"] = given.expires_after
    if given.cancel_after is not None:
        how["cancel_after"] = given.cancel_after
    if given.password is not None:
        how["password"] = given.password
    if given.class_set is not None:
        how["class_set"] = given.class_set or None
    if given.no_attachments:
        how["attachments"] = False
    if isinstance(file, str):
        how["document_url"] = file
        return client.submit(given.model, **how)
    if file is None:
        how["text"] = given.text
    else:
        how["progress"] = progress
    return client.submit(given.model, file, **how)


def _require_one_file(given: argparse.Namespace) -> None:
    """Refuse a PDF, a workbook or an HTML document of what cannot become one, before anything is paid for."""
    form = f"--format {given.format}"
    if given.format in IN_A_FILE:
        _require_target(given)
    if given.format == "pdf" and given.text is not None:
        given.parser.error(f"{form} takes a file, because a text has no page images")
    if given.unpack or len(given.files) > 1:
        number = "an archive" if given.unpack else f"{len(given.files)} files"
        given.parser.error(f"{form} takes one file, not {number}; use maas result JOB {form} for each job")


def _require_format_of_fields(given: argparse.Namespace) -> None:
    if given.format not in OF_FIELDS:
        given.parser.error(f"--fields come as {', '.join(OF_FIELDS)}, not as {given.format}")
    if given.format in ("csv", "xlsx"):
        _require_target(given)
        if given.to.suffix != f".{given.format}":
            given.parser.error(f"--output {given.to} must end in .{given.format}")


def _require_target(given: argparse.Namespace) -> None:
    if not given.to:
        given.parser.error(f"--format {given.format} goes into a file: name it with --output FILE")


def _write(client: Client, given: argparse.Namespace, results: Sequence[Result]) -> None:
    if given.fields and given.format in ("csv", "xlsx"):
        client.fields_file(given.to, jobs=[result.id for result in results])
        return
    if given.format in IN_A_FILE:
        client.download(results[0].id, given.to, kind=given.format)
        return
    if given.fields:
        text = (fields_as_json if given.format == "json" else fields_as_text)(results)
    else:
        text = rendered(client, results, given.format)
    if given.to:
        given.to.write_text(text, newline="" if given.format == "csv" else None)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def _judged(results: Sequence[Named]) -> int:
    """Print the failure of each job and page, and return the exit code."""
    code = DONE
    for name, result in results:
        if result.state == "succeeded":
            continue
        code = JOB_FAILED
        why = f": {result.job.error.detail}" if result.job.error else ""
        say(f"maas: {name}: job {result.id} is {result.state}{why}")
        for page in result.pages:
            if page.error and len(result.pages) > 1:
                say(f"maas: {name}: page {page.number}: {page.error.detail} ({page.error.code})")
    return code


def result(client: Client, given: argparse.Namespace) -> int:
    if given.fields:
        _require_format_of_fields(given)
    elif given.format in IN_A_FILE:
        _require_target(given)
        client.download(given.job, given.to, kind=given.format)
        return DONE
    found = client.result(given.job)
    _write(client, given, [found])
    if not found.job.ended:
        say(f"maas: job {found.id} is still {found.state}: {found.job.pages_done} of {found.job.pages_total} pages")
        return DONE
    return _judged([("result", found)])


def jobs(client: Client, given: argparse.Namespace) -> int:
    filters: JobFilters = {
        "state": given.state,
        "model": given.model,
        "document_class": given.document_class,
        "words": given.words,
        "fields": dict(given.field),
    }
    if given.what:
        return _fields_file(client, given, filters)
    if given.format or given.to:
        given.parser.error("--format and --output are for: maas jobs fields")
    rows = (
        (job.id, job.state, job.model, f"{job.pages_done}/{job.pages_total}", job.cost, when(job.created_at))
        for job in islice(client.jobs(**filters), given.limit)
    )
    print_table(("JOB", "STATE", "MODEL", "PAGES", "COST", "CREATED"), rows)
    return DONE


def _fields_file(client: Client, given: argparse.Namespace, filters: JobFilters) -> int:
    form = given.format or (given.to.suffix.removeprefix(".") if given.to else "csv")
    path = given.to or Path(f"fields.{form}")
    if path.suffix != f".{form}":
        given.parser.error(f"--output {path} must end in .{form}")
    if form not in ("csv", "xlsx"):
        given.parser.error(f"--output {path} must end in .csv or .xlsx")
    client.fields_file(path, jobs=given.jobs, **filters)
    print(f"Saved {path}.")
    return DONE


def documents(client: Client, given: argparse.Namespace) -> int:
    rows = (
        (one.id, one.kind, one.pages_total, one.size_bytes, when(one.created_at), one.name)
        for one in islice(client.documents(), given.limit)
    )
    print_table(("DOCUMENT", "KIND", "PAGES", "BYTES", "CREATED", "NAME"), rows)
    return DONE


def search(client: Client, given: argparse.Namespace) -> int:
    filters: Filters = {
        "by": "meaning" if given.meaning else "words",
        "document_class": given.document_class,
        "model": given.model,
        "since": given.since,
        "before": given.before,
        "page_size": min(given.limit, LISTED),
    }
    rows = (
        (
            hit.job,
            hit.page or "-",
            "-" if hit.score is None else f"{hit.score:.2f}",
            printable(hit.name),
            printable(hit.text),
        )
        for hit in islice(client.search(given.words, **filters), given.limit)
    )
    print_table(("JOB", "PAGE", "SCORE", "NAME", "TEXT"), rows)
    return DONE


def _score(hit: SearchHit) -> str:
    return "-" if hit.score is None else f"{hit.score:.2f}"


def watch(client: Client, given: argparse.Namespace) -> int:
    try:
        for event in client.events(given.job):
            print(_line(event), flush=True)
    except KeyboardInterrupt:
        if not given.job:
            return DONE
        raise Left("\nInterrupted.", [given.job], INTERRUPTED) from None
    return DONE if client.job(given.job).state == "succeeded" else JOB_FAILED


def _line(event: Event) -> str:
    told = {name: value for name, value in event.data.items() if not isinstance(value, dict | list)}
    told.pop("state", None)
    details = " ".join(f"{name}={value}" for name, value in told.items())
    return f"{when(event.created_at)}  {event.job}  {event.type:26}{details}".rstrip()


def cancel(client: Client, given: argparse.Namespace) -> int:
    job = client.cancel(given.job)
    print(f"Job {job.id} is {job.state}.")
    return DONE


def retry(client: Client, given: argparse.Namespace) -> int:
    """Retry a job. Only the new job's id is printed on stdout, for the next command."""
    job = client.retry(given.job)
    say(f"Job {job.id} takes over the pages that succeeded and runs the others again.")
    print(job.id)
    return DONE
