"""Test the commands with the running product."""

import json
import os
import pty
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from maas.local.supervisor.ports import free_port
from maas_client import Client
from maas_client.version import VERSION
from tests.client.cable import Cable
from tests.client.stand_in import Answer, StandIn
from tests.client.test_calls import JOB
from tests.waiting import eventually

from .conftest import COMMAND, Shell, environment


def test_a_file_is_read_to_stdout_with_progress_as_lines_on_stderr(maas: Shell, report: Path) -> None:
    said = maas.in_a_process("run", "parse", report)
    assert said.code == 0
    assert said.out.splitlines() == ["The first page says apples", "", "The second page says pears"]
    assert re.search(r"report\.pdf: job \S+, 2 pages\n", said.err)
    assert said.err.endswith("report.pdf: succeeded, 2 of 2 pages\n")


def test_how_urgent_a_job_is_can_be_said(maas: Shell, client: Client) -> None:
    said = maas(
        "run",
        "embed",
        "--text",
        "later",
        "--priority",
        "bulk",
        "--expires-after",
        "900",
        "--cancel-after",
        "600",
    )
    assert said.code == 0
    job = next(client.jobs())
    assert (job.priority, job.expires_at is None, job.cancel_at is None) == ("bulk", False, False)
    assert maas("run", "embed", "--text", "later", "--priority", "at once").code == 2


def test_the_fields_of_jobs_are_one_file(maas: Shell, client: Client) -> None:
    job = client.run("parse", text="Dear Anna, thank you.")
    said = maas("jobs", "fields", job.id, "--format", "xlsx")
    assert (said.code, said.out) == (0, "Saved fields.xlsx.\n")
    assert (maas.folder / "fields.xlsx").read_bytes().startswith(b"PK")
    assert maas("jobs", "fields", job.id, "-o", "one.csv").code == 0
    assert job.id in (maas.folder / "one.csv").read_text()
    assert maas("jobs", "fields", "-o", "one.txt").code == 2
    assert maas("jobs", "--format", "csv").code == 2


INVOICE = (
    "Blaufeld AG",
    "Rechnung",
    "Rechnungsnummer: RE-2024-0815",
    "Rechnungsdatum: 12.03.2024",
    "Nettobetrag 100,00 EUR",
    "zzgl. 19 % MwSt 19,00 EUR",
    "Gesamtbetrag 119,00 EUR",
)


def test_the_fields_of_a_file_are_a_table_json_or_a_workbook(maas: Shell) -> None:
    (maas.folder / "invoice.txt").write_text("\n".join(INVOICE))
    said = maas("run", "parse", "invoice.txt", "--fields")
    assert said.code == 0
    assert said.out.splitlines()[0].split() == ["FIELD", "VALUE", "NORMALIZED", "PAGE", "CONFIDENCE"]
    assert re.search(r"^total +119,00( EUR)? +119\.00 +1 +\d+%$", said.out, re.MULTILINE)
    found = json.loads(maas("run", "parse", "invoice.txt", "--fields", "--format", "json").out)
    assert "total" in [field["name"] for field in found["fields"]]
    assert maas("run", "parse", "invoice.txt", "--fields", "--format", "xlsx", "-o", "a.xlsx").code == 0
    assert (maas.folder / "a.xlsx").read_bytes().startswith(b"PK")
    assert maas("run", "parse", "invoice.txt", "--fields", "--format", "html").code == 2
    assert maas("run", "parse", "invoice.txt", "--format", "markdown").code == 0


def test_several_files_and_one_that_is_refused(maas: Shell) -> None:
    (maas.folder / "a.txt").write_text("apples")
    (maas.folder / "b.txt").write_text("pears")
    (maas.folder / "junk.pdf").write_bytes(b"\0\1\2\3")
    said = maas("run", "parse", "a.txt", "junk.pdf", "b.txt", "--format", "md")
    assert said.out == "# a.txt\n\napples\n\n# b.txt\n\npears\n"
    assert "maas: junk.pdf: " in said.err
    assert said.code == 3


def test_json_goes_into_a_file(maas: Shell) -> None:
    said = maas("run", "embed", "--text", "invoice", "--format", "json", "-o", "out.json")
    assert (said.code, said.out) == (0, "")
    result = json.loads((maas.folder / "out.json").read_text())
    assert len(result["pages"][0]["embedding"]) == 384
    assert json.loads(maas("result", result["job"], "--format", "json").out) == result


def test_parameters_are_json_or_words(maas: Shell) -> None:
    said = maas("run", "parse", "--text", "x", "--parameter", "include_embedding=false", "--format", "json")
    assert "embedding" not in json.loads(said.out)["pages"][0]
    refused = maas("run", "parse", "--text", "x", "--parameter", "min_confidence=high")
    assert (refused.code, refused.out) == (3, "")
    assert refused.err.count("\n") == 1
    assert "'min_confidence' must be a number from 0 to 1, not 'high' (invalid_parameter" in refused.err


def test_a_result_is_kept_as_a_searchable_pdf(maas: Shell, client: Client, report: Path) -> None:
    job = client.run("parse", report).id
    assert maas("result", job, "--format", "pdf", "-o", "kept.pdf").code == 0
    assert (maas.folder / "kept.pdf").read_bytes().startswith(b"%PDF-")
    assert maas("result", job, "--format", "pdf").code == 2


def test_a_file_becomes_a_searchable_pdf_in_one_command(maas: Shell, report: Path) -> None:
    said = maas("run", "parse", report, "--format", "pdf", "--output", "read.pdf")
    assert (said.code, said.out) == (0, "")
    assert (maas.folder / "read.pdf").read_bytes().startswith(b"%PDF-")


def test_html_and_chunks_are_formats(maas: Shell) -> None:
    (maas.folder / "a.txt").write_text("alpha")
    assert "<p>alpha</p>" in maas("run", "parse", "a.txt", "--format", "html").out
    (maas.folder / "b.txt").write_text("beta")
    rows = maas("run", "parse", "a.txt", "b.txt", "--format", "chunks").out.splitlines()
    assert [json.loads(row)["text"] for row in rows] == ["alpha", "beta"]


def test_markdown_goes_into_the_file_of_output(maas: Shell) -> None:
    (maas.folder / "a.txt").write_text("apples")
    assert maas("run", "parse", "a.txt", "--format", "md", "--output", "a.md").code == 0
    assert (maas.folder / "a.md").read_text() == "# a.txt\n\napples\n"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("a.txt", "--format", "docx"), "argument --format: invalid choice: 'docx' (choose from"),
        (("a.txt", "--format", "pdf"), "--format pdf goes into a file: name it with --output FILE"),
        (("--text", "x", "--format", "pdf", "-o", "x.pdf"), "--format pdf takes a file, because a text has no page"),
        (("a.txt", "a.txt", "--format", "pdf", "-o", "x.pdf"), "--format pdf takes one file, not 2 files; use maas"),
        (("a.txt", "--unpack", "--format", "pdf", "-o", "x.pdf"), "--format pdf takes one file, not an archive; use"),
        (("a.txt", "a.txt", "--format", "html"), "--format html takes one file, not 2 files; use maas result JOB"),
        (("a.txt", "--output", "markdown"), "'markdown' is a format: use --format md, or ./markdown for a file of"),
    ],
)
def test_a_format_that_cannot_be_made_is_refused_before_any_work(
    maas: Shell, client: Client, arguments: tuple[str, ...], why: str
) -> None:
    (maas.folder / "a.txt").write_text("apples")
    before = [job.id for job in islice(client.jobs(), 1)]
    said = maas("run", "parse", *arguments)
    assert said.code == 2
    assert why in said.err
    assert [job.id for job in islice(client.jobs(), 1)] == before


def test_a_file_may_be_named_like_a_format(maas: Shell) -> None:
    assert maas("run", "parse", "--text", "x", "--output", "./json").code == 0
    assert (maas.folder / "json").read_text() == "x\n"


def test_lists_name_what_there_is(maas: Shell, client: Client) -> None:
    result = client.run("parse", b"listed", name="listed.txt")
    listed = maas("jobs", "--state", "succeeded", "--limit", "100").out
    assert re.search(rf"^{result.id}  succeeded  parse@1  1/1 ", listed, re.MULTILINE)
    assert re.search(rf"^{result.job.document}  text .* listed\.txt$", maas("documents").out, re.MULTILINE)
    assert re.search(r"^embed +1 +active +document, text, texts ", maas("models").out, re.MULTILINE)


def test_pages_are_searched_and_a_terminal_gets_nothing_to_act_on(maas: Shell, client: Client) -> None:
    result = client.run("parse", "cranberries \u202ered".encode(), name="berries.txt")
    said = maas("search", "cranberries", "--limit", "1", "--from", "2026-01-01")
    assert re.search(rf"^{result.id}  1     -      berries.txt  cranberries ", said.out, re.MULTILINE)
    assert "\u202e" not in said.out
    assert maas("search", "cranberries", "--class", "none-such").out.count("\n") == 1
    assert maas("search", "!").code == 3
    assert "'soon' is no day" in maas("search", "x", "--to", "soon").err


def test_a_job_is_watched_from_its_beginning_to_its_end(maas: Shell, client: Client) -> None:
    said = maas("watch", client.submit("parse", text="watched").id)
    assert said.code == 0
    assert re.findall(r"(?:job|page)\.\w+", said.out)[::4] == ["job.queued", "job.succeeded"]


def test_a_job_that_came_to_nothing_is_said_by_the_code(maas: Shell, client: Client, long_report: bytes) -> None:
    job = client.submit("parse", long_report).id
    assert maas("cancel", job).out == f"Job {job} is canceled.\n"
    assert maas("watch", job).code == 1
    result = maas("result", job)
    assert result.code == 1
    assert f"job {job} is canceled" in result.err
    retried = maas("retry", job)
    assert client.cancel(retried.out.strip()).retry_of == job


def test_interrupting_ends_the_waiting_and_says_how_to_go_on(maas: Shell, client: Client, long_report: bytes) -> None:
    (maas.folder / "long.pdf").write_bytes(long_report)
    process = subprocess.Popen(
        [*COMMAND, "run", "parse", "long.pdf"],
        cwd=maas.folder,
        env=environment(**maas.variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    first = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=30)
    job = first.split()[2].rstrip(",")
    client.cancel(job)
    assert process.returncode == 130
    assert f"\n  maas watch {job}\n" in rest
    assert "Traceback" not in rest


@contextmanager
def cut_again_and_again(cable: Cable) -> Iterator[None]:
    """Cut the connection repeatedly, because a single cut may come between two requests, where it has no effect."""
    enough = threading.Event()

    def cut() -> None:
        while not enough.wait(0.2):
            cable.cut()

    cutter = threading.Thread(target=cut)
    cutter.start()
    try:
        yield
    finally:
        enough.set()
        cutter.join()


def test_a_lost_connection_is_said_and_the_waiting_goes_on(
    maas: Shell, client: Client, cable: Cable, long_report: bytes
) -> None:
    (maas.folder / "long.pdf").write_bytes(long_report)
    process = subprocess.Popen(
        [*COMMAND, "run", "parse", "long.pdf"],
        cwd=maas.folder,
        env=environment(**{**maas.variables, "MAAS_URL": cable.url}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    job = process.stderr.readline().split()[2].rstrip(",")
    with cut_again_and_again(cable):
        lines = iter(process.stderr.readline, "")
        assert any(line == "maas: connection lost, trying again …\n" for line in lines)
    client.cancel(job)
    _, rest = process.communicate(timeout=30)
    assert process.returncode == 1
    assert f"job {job} is canceled" in rest


def test_a_service_that_stays_away_leaves_the_jobs_name(tmp_path: Path) -> None:
    gone = Answer.of(500, {"code": "internal_error", "detail": "Broken."})
    with StandIn(Answer.of(202, JOB), gone) as server:
        said = Shell(tmp_path, {"MAAS_URL": server.url, "MAAS_API_KEY": "k"})("run", "parse", "--text", "x")
    assert said.code == 3
    assert "maas: Broken. (internal_error)\n" in said.err
    assert "\n  maas watch j\n  maas result j\n" in said.err


def test_a_submission_of_unknown_fate_leaves_its_key(tmp_path: Path) -> None:
    gone = Answer.of(500, {"code": "internal_error", "detail": "Broken."})
    with StandIn(gone) as server:
        said = Shell(tmp_path, {"MAAS_URL": server.url, "MAAS_API_KEY": "k"})("run", "parse", "--text", "x")
        key = server.asked[0].headers["Idempotency-Key"]
    assert said.code == 3
    assert f"--idempotency-key {key}" in said.err


def test_the_same_key_gives_the_same_jobs(maas: Shell) -> None:
    (maas.folder / "a.txt").write_text("apples")
    (maas.folder / "b.txt").write_text("pears")
    again = ("run", "parse", "a.txt", "b.txt", "--idempotency-key", "both", "--format", "json")
    first, second = (json.loads(maas(*again).out) for _ in range(2))
    assert first == second
    assert first[0]["job"] != first[1]["job"]


def test_a_result_with_nowhere_to_go_is_refused_before_any_work(maas: Shell, client: Client) -> None:
    before = [job.id for job in islice(client.jobs(), 1)]
    for to, why in (("none/x.md", "there is no folder 'none'"), (".", "'.' is a folder")):
        said = maas("run", "parse", "--text", "x", "-o", to)
        assert said.code == 2
        assert why in said.err
    assert [job.id for job in islice(client.jobs(), 1)] == before


def test_a_result_that_cannot_be_written_after_all_is_still_to_be_had(maas: Shell) -> None:
    said = maas("run", "parse", "--text", "x", "-o", "/dev/full")
    assert said.code == 2
    assert re.search(r"No space left.*\n  maas result \S+\n", said.err, re.DOTALL)


def test_a_folder_is_called_one(maas: Shell) -> None:
    assert "'.' is a folder; name its files" in maas("run", "parse", ".").err


def test_the_version_needs_no_service(maas: Shell) -> None:
    said = maas("--version", MAAS_URL="", MAAS_API_KEY="")
    assert (said.code, said.out) == (0, f"maas {VERSION}\n")


def test_a_terminal_shows_bars(maas: Shell, report: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "run", "parse", report],
        env=environment(**maas.variables, TERM="xterm-256color", COLUMNS="120"),
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""

    def ended() -> bool:
        nonlocal shown
        try:
            shown += os.read(ours, 65536)
        except OSError:  # Linux says so when the other side is closed
            return True
        return False

    eventually(ended, "the end of the command")
    out, _ = process.communicate(timeout=30)
    os.close(ours)
    assert b"apples" in out
    assert "━".encode() in shown
    assert b"2/2 pages, succeeded" in shown


def test_wrong_usage_is_code_two(maas: Shell) -> None:
    for wrong in (
        ("run", "parse"),
        ("run", "parse", "no-such-file"),
        ("nonsense",),
        ("jobs", "--limit", "0"),
    ):
        assert maas(*wrong).code == 2, wrong
    for missing in ({"MAAS_URL": ""}, {"MAAS_API_KEY": ""}, {"MAAS_URL": "ftp://x"}):
        said = maas("models", **missing)
        assert (said.code, said.err.count("\n")) == (2, 1)


def test_refusals_and_silence_are_code_three_in_one_line(maas: Shell) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    for said in (
        maas("--url", nobody, "models"),
        maas("models", MAAS_API_KEY="maas_live_wrong"),
        maas("result", "no-such-job"),
    ):
        assert (said.code, said.out, said.err.count("\n")) == (3, "", 1), said


def test_a_reader_who_leaves_early_is_no_error(maas: Shell) -> None:
    command = " ".join([*COMMAND, "models"])
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} | true"],
        env=environment(**maas.variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_following_all_jobs_is_ended_without_complaint(maas: Shell, client: Client) -> None:
    process = subprocess.Popen(
        [*COMMAND, "watch"],
        env=environment(**maas.variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(process.stdout.readline()))  # type: ignore[union-attr]
    reader.start()

    def something_was_heard() -> bool:
        client.submit("embed", text="heard")
        return bool(heard)

    eventually(something_was_heard, "an event")
    process.send_signal(signal.SIGINT)
    reader.join()
    process.communicate(timeout=30)
    assert process.returncode == 0
