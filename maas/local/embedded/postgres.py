"""PostgreSQL 18 on private sockets, with initdb, roles and pgvector: no trust authentication, no TCP, never as root."""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from maas.local.embedded.folders import ScratchFolders, clear_leftover, fits_socket, private_folder
from maas.local.embedded.installation import (
    PostgresInstallation,
    ServerAccount,
    find_postgres,
    give_tree,
    reachable_postgres,
    server_account,
)
from maas.local.supervisor.children import ChildSpec, StopPhase
from maas.process.errors import ServiceUnavailable

OWNER = "maas"
DATABASE = "maas"
ACTING_ROLES = ("maas_app", "maas_accounts", "maas_operator")
"""Roles that the owner's connections switch to. They cannot log in, and the owner inherits none of their rights."""


def provision(superuser_url: Callable[[str], str], owner_password: str) -> None:
    with psycopg.connect(superuser_url("postgres"), autocommit=True) as connection:
        _make_roles(connection, owner_password)
    # The extension is created in template1, so that every database created from now on has it.
    with psycopg.connect(superuser_url("template1"), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    with psycopg.connect(superuser_url("postgres"), autocommit=True) as connection:
        create_database(connection, DATABASE, template="template1")


def _make_roles(connection: psycopg.Connection, owner_password: str) -> None:
    for role in (OWNER, *ACTING_ROLES):
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone() is None:
            connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOINHERIT").format(sql.Identifier(role)))
    connection.execute(
        sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(OWNER), sql.Literal(owner_password))
    )
    for role in ACTING_ROLES:
        grant = sql.SQL("GRANT {} TO {} WITH INHERIT FALSE, SET TRUE")
        connection.execute(grant.format(sql.Identifier(role), sql.Identifier(OWNER)))
    # The role for signing in has the rights of the role for requests, and more.
    connection.execute("ALTER ROLE maas_accounts INHERIT; GRANT maas_app TO maas_accounts")


def create_database(connection: psycopg.Connection, name: str, *, template: str) -> None:
    """Create the database `name` unless it exists. No session may be connected to `template` meanwhile."""
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
        statement = sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {}")
        connection.execute(statement.format(sql.Identifier(name), sql.Identifier(OWNER), sql.Identifier(template)))


_SUPERUSER = "postgres"
_LONGEST_SOCKET_NAME = ".s.PGSQL.5432"
_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    # Each web process, one for two cores, takes 34 of them, and all others together 110.
    "max_connections": str(max(200, 110 + 17 * len(os.sched_getaffinity(0)))),
    "shared_buffers": "128MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "max_wal_size": "512MB",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "timezone": "UTC",
    "log_checkpoints": "off",
    "log_line_prefix": "",
    # The text of a statement that fails because the disk is full may contain a page's text.
    "log_min_error_statement": "panic",
}
_ARCHIVING = {
    "wal_level": "replica",
    "max_wal_senders": "5",
    "archive_mode": "on",
    # At most so much work is lost with the disk. A segment that is not full takes 16 MB like any other.
    "archive_timeout": "300",
}
_UNSAFE_BUT_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
_CHATTER = re.compile(
    r"^LOG:  (starting|listening|database system (is ready|was shut down|is shut down)|received fast shutdown"
    r"|aborting any active|background worker .* exited with exit code [01]$|shutting down)"
    r"|^FATAL:  the database system is starting up"
)
_NO_LIBC_LOCALE = {"LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True, slots=True)
class Credentials:
    superuser_password: str
    owner_password: str


class PostgresServer:
    """The database cluster in `home/postgres`. The caller holds the lock on `home` and runs the child process."""

    def __init__(
        self, home: Path, scratch: ScratchFolders, *, durable: bool = True, archive: Path | None = None
    ) -> None:
        """`archive` is the folder that each finished segment of the write-ahead log is copied to. None: no copies."""
        self._folder = private_folder(home / "postgres")
        self._data = self._folder / "data"
        self._sockets = home / "run" / "postgres"
        self._scratch = scratch
        self._durable = durable
        self._archive = None if archive is None else private_folder(archive)
        self._credentials = self._load_credentials()

    def prepare(self) -> ChildSpec:
        """Prepare everything, and return the process to run. It may be called again."""
        account = server_account(self._data)
        clear_leftover(self._data / "postmaster.pid", ("postgres",), signal.SIGINT)
        programs = find_postgres()
        if account is not None:
            programs = reachable_postgres(programs, account.uid, self._scratch)
        if not (self._data / "PG_VERSION").exists():
            self._initialise(programs, account)
        self._make_socket_folder(account)
        return self._spec(programs, account)

    @property
    def url(self) -> str:
        return self.url_of("maas")

    def url_of(self, database: str) -> str:
        return self._url(OWNER, self._credentials.owner_password, database)

    def superuser_url(self, database: str = "postgres") -> str:
        return self._url(_SUPERUSER, self._credentials.superuser_password, database)

    def is_ready(self) -> bool:
        """Return whether it accepts writes. A copy that still reads the archive does not, nor does a standby."""
        return self._in_recovery() is False

    def answers(self) -> bool:
        """Return whether it accepts connections, if only to read."""
        return self._in_recovery() is not None

    def _in_recovery(self) -> bool | None:
        try:
            with psycopg.connect(self.superuser_url(), connect_timeout=2) as connection:
                row = connection.execute("SELECT pg_is_in_recovery()").fetchone()
        except psycopg.OperationalError:
            return None
        return bool(row and row[0])

    def provision(self) -> None:
        """Create the roles, the extension and the database that the product expects, if they are missing."""
        provision(self.superuser_url, self._credentials.owner_password)

    def _url(self, user: str, password: str, database: str) -> str:
        return f"postgres://{user}:{password}@/{database}?host={quote(str(self._sockets), safe='')}"

    def _load_credentials(self) -> Credentials:
        path = self._folder / "credentials.json"
        if path.exists():
            return Credentials(**json.loads(path.read_text()))
        if self._data.exists():
            raise ServiceUnavailable(f"{path} is missing, and with it the passwords of {self._data}: put it back")
        credentials = Credentials(secrets.token_urlsafe(24), secrets.token_urlsafe(24))
        path.touch(mode=0o600)
        path.write_text(json.dumps(asdict(credentials)))
        return credentials

    def _initialise(self, programs: PostgresInstallation, account: ServerAccount | None) -> None:
        """Run initdb in a folder beside the final one, so that a half-made cluster is never taken for a whole one."""
        new = self._folder / "data.new"
        shutil.rmtree(new, ignore_errors=True)
        private_folder(new)
        if account is not None:
            os.chown(new, account.setup_uid, account.uid)
        with tempfile.TemporaryFile() as password:
            password.write(self._credentials.superuser_password.encode())
            password.flush()
            if account is not None:
                os.fchown(password.fileno(), account.setup_uid, account.uid)
            _run_initdb(programs, account, new, password.fileno())
        if account is not None:
            give_tree(new, account.uid, account.uid)
        new.rename(self._data)

    def _make_socket_folder(self, account: ServerAccount | None) -> None:
        """Make an empty folder each time. A lock file left in it could name another program's process."""
        shutil.rmtree(self._sockets, ignore_errors=True)
        if fits_socket(self._sockets, _LONGEST_SOCKET_NAME):
            private_folder(self._sockets)
        else:
            self._sockets = private_folder(
                self._scratch.create_for_sockets(f"postgres/{_LONGEST_SOCKET_NAME}") / "postgres"
            )
        if account is not None:
            os.chown(self._sockets, account.uid, account.uid)

    def _spec(self, programs: PostgresInstallation, account: ServerAccount | None) -> ChildSpec:
        data, sockets = _open_folder(self._data), _open_folder(self._sockets)
        settings = _SETTINGS | ({} if self._durable else _UNSAFE_BUT_FAST)
        settings["unix_socket_directories"] = _through(sockets)
        kept: tuple[int, ...] = (data, sockets)
        if self._archive is not None:
            archive = self._open_archive(account)
            settings |= _ARCHIVING | archive_commands(_through(archive))
            kept = (*kept, archive)
        flags = [argument for name, value in settings.items() for argument in ("-c", f"{name}={value}")]
        return ChildSpec(
            name="postgres",
            argv=(programs.postgres, "-D", _through(data), *flags),
            env=_NO_LIBC_LOCALE,
            stop_signal=signal.SIGINT,
            stop_phase=StopPhase.DATABASE,
            uid=None if account is None else account.uid,
            keep_fds=kept,
            chatter=_CHATTER,
        )

    def _open_archive(self, account: ServerAccount | None) -> int:
        assert self._archive is not None
        if account is not None:
            os.chown(self._archive, account.uid, account.uid)
        return _open_folder(self._archive)


def archive_commands(folder: str) -> dict[str, str]:
    """Return the commands that copy a finished segment to the archive, and from there for recovery.

    A segment is never overwritten, and never there half. One that is there already, because the server ended before it
    could note that, must be the same.
    """
    to = f"{folder}/%f"
    copy = f"cp %p {to}.part && sync {to}.part && mv {to}.part {to}"
    return {
        "archive_command": f"if test -e {to}; then cmp -s %p {to}; else {copy}; fi",
        "restore_command": f"test -e {to} && cp {to} %p",
    }


def _open_folder(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY)


def _through(fd: int) -> str:
    """Return a path of an open folder that works whatever the permissions of its parent folders.

    The account that PostgreSQL runs as may not be able to reach MAAS_HOME, for example below a private home folder. It
    inherits the open folder instead, so no parent folder must be opened to other users.
    """
    return f"/proc/self/fd/{fd}"


def _run_initdb(programs: PostgresInstallation, account: ServerAccount | None, data: Path, password: int) -> None:
    folder = _open_folder(data)
    choices = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--locale-provider=builtin"]
    choices += [
        "--builtin-locale=C.UTF-8",
        "--data-checksums",
        "--no-instructions",
        f"--username={_SUPERUSER}",
    ]
    try:
        ended = subprocess.run(
            [programs.initdb, "-D", _through(folder), f"--pwfile={_through(password)}", *choices],
            env=_NO_LIBC_LOCALE,
            cwd="/",
            user=None if account is None else account.setup_uid,
            group=None if account is None else account.uid,
            extra_groups=None if account is None else [],
            pass_fds=(folder, password),
            umask=0o077,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        os.close(folder)
    if ended.returncode != 0:
        raise ServiceUnavailable(f"PostgreSQL's initdb failed in {data}: {ended.stderr.strip()}")
