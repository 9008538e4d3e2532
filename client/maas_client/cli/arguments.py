"""The arguments of the command line."""

import argparse

from maas_client.cli import classes, commands, fields, models, values
from maas_client.cli.output import FORMATS
from maas_client.submissions import PRIORITIES
from maas_client.version import VERSION

EPILOG = """\
MAAS_URL (or --url) is the URL of the service, MAAS_API_KEY the key.
Exit codes: 0 success; 1 a job, one of its pages, or the check or the export of a model failed; 2 wrong usage;
3 the service refused or cannot be reached; 130 interrupted (0 for `maas watch` without a job, which runs
until it is interrupted).
"""


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="maas",
        description="Documents in, text and data out.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"maas {VERSION}")
    top.add_argument("--url", help="URL of the service (default: MAAS_URL)")
    names = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_run(names)
    _add_looking(names)
    _add_acting(names)
    classes.add_to(names)
    fields.add_to(names)
    models.add_to(names)
    return top


def _add_run(names: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    run = names.add_parser("run", help="run a model on files, URLs or a text, wait, and print the results")
    run.add_argument("model", metavar="MODEL", help="name or name@version; see: maas models")
    run.add_argument("files", metavar="FILE", nargs="*", type=values.file_or_url, help="path or URL (https://…)")
    run.add_argument("--text", help="text to use instead of a file")
    run.add_argument(
        "--unpack",
        action="store_true",
        help="unpack the files, which are ZIP archives, and run one job per document",
    )
    run.add_argument(
        "--parameter",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=values.parameter,
        help="parameter of the model; the value is JSON or plain text; may be repeated",
    )
    run.add_argument("--priority", choices=PRIORITIES, help="scheduling priority (default: standard)")
    run.add_argument(
        "--expires-after", metavar="SECONDS", type=values.count, help="a job that has not ended by then expires"
    )
    run.add_argument(
        "--cancel-after", metavar="SECONDS", type=values.count, help="a job that has not ended by then is canceled"
    )
    run.add_argument("--password", help="password of encrypted PDF files; it is used once and not stored")
    run.add_argument(
        "--class-set",
        metavar="NAME",
        help="class the documents by your class set, or with '' by none; see: maas classes",
    )
    run.add_argument("--no-attachments", action="store_true", help="leave out the attachments of emails")
    run.add_argument(
        "--idempotency-key",
        metavar="KEY",
        type=values.key,
        help="the same key within 24 hours returns the same job (for several files: KEY-1, KEY-2, …)",
    )
    _add_output(run)
    run.set_defaults(do=commands.run, parser=run)


def _add_looking(names: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    result = names.add_parser("result", help="print the result of a job, or a partial one while it runs")
    result.add_argument("job", metavar="JOB")
    _add_output(result)
    result.set_defaults(do=commands.result, parser=result)
    _add_jobs(names)
    documents = names.add_parser("documents", help="list documents, newest first")
    _add_limit(documents)
    documents.set_defaults(do=commands.documents)
    search = names.add_parser("search", help="find pages by their words, newest first, or by meaning, nearest first")
    search.add_argument("words", metavar="WORDS", help="such as 'acme \"total due\" -draft', or a text with --meaning")
    search.add_argument("--meaning", action="store_true", help="find pages about the text; its words need not be there")
    search.add_argument("--class", dest="document_class", metavar="CLASS", help="only documents of this class")
    search.add_argument("--model", help="only pages that this model read: name or name@version")
    search.add_argument(
        "--from", dest="since", metavar="DAY", type=values.moment, help="only jobs from this day or time on"
    )
    search.add_argument(
        "--to", dest="before", metavar="DAY", type=values.moment, help="only jobs before this day or time"
    )
    _add_limit(search)
    search.set_defaults(do=commands.search)
    watch = names.add_parser("watch", help="print events as they occur: of a job from start to end, or of all jobs")
    watch.add_argument("job", metavar="JOB", nargs="?")
    watch.set_defaults(do=commands.watch)


def _add_jobs(names: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    jobs = names.add_parser("jobs", help="list jobs, newest first, or save the fields of their documents as one file")
    jobs.add_argument("what", metavar="fields", nargs="?", choices=["fields"], help="save the fields as one file")
    jobs.add_argument("jobs", metavar="JOB", nargs="*", help="with fields: these jobs, in place of all that match")
    jobs.add_argument("--state", help="only jobs in these states, such as queued,running")
    jobs.add_argument("--model", help="only jobs of this model: name or name@version")
    jobs.add_argument("--class", dest="document_class", metavar="CLASS", help="only documents of this class")
    jobs.add_argument("--words", help="only documents with these words in their name or text")
    jobs.add_argument(
        "--field",
        metavar="FILTER",
        action="append",
        default=[],
        type=values.field_filter,
        help="only documents with this field: total=119, total.min=100, issue_date.from=2026-01-01, "
        "supplier.contains=acme; may be repeated",
    )
    jobs.add_argument("--format", choices=("csv", "xlsx"), help="with fields: format of the file (default: csv)")
    jobs.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        dest="to",
        type=values.target,
        help="with fields: file to write (default: fields.csv)",
    )
    _add_limit(jobs)
    jobs.set_defaults(do=commands.jobs, parser=jobs)


def _add_acting(names: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    cancel = names.add_parser("cancel", help="cancel a job")
    cancel.add_argument("job", metavar="JOB")
    cancel.set_defaults(do=commands.cancel)
    retry = names.add_parser("retry", help="rerun the pages that did not succeed, as a new job")
    retry.add_argument("job", metavar="JOB")
    retry.set_defaults(do=commands.retry)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fields", action="store_true", help="the fields of the documents as a table, in place of their text"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        type=lambda name: {"markdown": "md"}.get(name, name),
        default="text",
        help="format of the results (default: text); pdf is searchable, chunks are JSON Lines for retrieval, csv and "
        "xlsx have the tables, or with --fields a row for each document",
    )
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        dest="to",
        type=values.target,
        help="file to write to (default: the terminal); required for pdf and xlsx",
    )


def _add_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=values.count, default=20, help="maximum number of results (default: 20)")
