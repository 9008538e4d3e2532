"""Runs PostgreSQL's own programs for dumps, and leaves the embeddings out where pgvector is missing."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from jobs.search.services import EMBEDDINGS as TABLE
from maas.local.embedded.installation import find_postgres
from maas.ops.backup.folder import BackupError
from maas.process.errors import ServiceUnavailable

LOOK_EVERY_S = 1.0
# Half-precision vectors need pgvector 0.7.
_OFFERED = """
SELECT EXISTS (
    SELECT FROM pg_available_extensions
    WHERE name = 'vector' AND string_to_array(default_version, '.')::int[] >= '{0,7}'
)
"""
_MARKS = (TABLE, " EXTENSION - vector ", " COMMENT - EXTENSION vector ")


def dump(url: str, into: Path, *, snapshot: str, role: str, waiting: Callable[[], None] = lambda: None) -> None:
    """Dump all rows that `role` sees as of `snapshot` for pg_restore, in one file. Call `waiting` every second."""
    flags = ["--format=custom", f"--file={into}", f"--snapshot={snapshot}", "--lock-wait-timeout=60s"]
    _run("pg_dump", url, [*flags, f"--role={role}", "--enable-row-security"], waiting)


def load(url: str, dumped: Path, *, chosen: Callable[[str], str] = str) -> None:
    """Load a dump whole or not at all. `chosen` turns the dump's list of contents into the part to load."""
    with NamedTemporaryFile("w", suffix=".list") as contents:
        contents.write(chosen(_output([_find("pg_restore"), "--list", str(dumped)], os.environ)))
        contents.flush()
        flags = ["--single-transaction", "--exit-on-error", f"--use-list={contents.name}"]
        _run("pg_restore", url, [*flags, str(dumped)])


def _run(program: str, url: str, flags: Sequence[str], waiting: Callable[[], None] = lambda: None) -> None:
    argv = [_find(program), "--no-password", f"--dbname={_without_password(url)}", *flags]
    _output(argv, _environment(url), waiting)


def _output(argv: Sequence[str], environment: Mapping[str, str], waiting: Callable[[], None] = lambda: None) -> str:
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, env=environment, stdout=pipe, stderr=pipe, text=True) as running:
        stdout, stderr = _ended(running, waiting)
    if running.returncode != 0:
        raise BackupError(f"{Path(argv[0]).name} failed: {stderr.strip()}")
    return stdout


def _ended(running: "subprocess.Popen[str]", waiting: Callable[[], None]) -> tuple[str, str]:
    """Return the output of the program. Kill the program if this process is told to stop."""
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                return running.communicate(timeout=LOOK_EVERY_S)
            waiting()
    except BaseException:
        running.kill()
        raise


def _find(program: str) -> str:
    """Prefer the wheel's program if there is one: it is as new as any supported server."""
    try:
        return str(find_postgres().tree / "bin" / program)
    except ServiceUnavailable:
        found = shutil.which(program)
    if found is None:
        raise BackupError(f"there is no {program}: put PostgreSQL's client programs on PATH")
    return found


def _without_password(url: str) -> str:
    """Return the connection info without the password: all users of the machine can see arguments."""
    parts: dict[str, str] = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    parts.pop("password", None)
    return make_conninfo(**parts)


def _environment(url: str) -> Mapping[str, str]:
    password = conninfo_to_dict(url).get("password")
    return {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}


def takes_embeddings(url: str) -> bool:
    with psycopg.connect(url) as connection:
        row = connection.execute(_OFFERED).fetchone()
    return row is not None and bool(row[0])


def without_embeddings(contents: str) -> str:
    """Return a dump's list of contents without the embeddings, in the format that pg_restore writes and reads."""
    kept = [line for line in contents.splitlines() if not any(mark in f"{line} " for mark in _MARKS)]
    return "\n".join(kept) + "\n"
