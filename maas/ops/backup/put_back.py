"""Builds an installation from a backup: secrets, then the database, then the files, each checked before it is used."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from jobs.search.services import EMBEDDINGS
from maas.local.embedded.folders import ScratchFolders, private_folder
from maas.local.embedded.postgres import PostgresServer
from maas.local.launch.state_files import read_map, write_map
from maas.local.supervisor.children import spawn
from maas.local.supervisor.processes import HomeLock
from maas.ops.backup import programs
from maas.ops.backup.folder import KEPT_STATE, BackupError, BackupFolder, Manifest, pepper_mark

_START_S = 60.0
_STOP_S = 30.0


@contextmanager
def embedded_postgres(home: Path) -> Iterator[PostgresServer]:
    """Yield an empty server with its roles and database. It is stopped in order at the end."""
    run = private_folder(private_folder(home) / "run")
    lock, scratch = HomeLock(run / "lock"), ScratchFolders(run / "scratch.json")
    try:
        with _running(PostgresServer(home, scratch), run / "restore.log") as server:
            server.provision()
            yield server
    finally:
        scratch.remove_all()
        lock.release()


@contextmanager
def _running(server: PostgresServer, log: Path) -> Iterator[PostgresServer]:
    spec = server.prepare()
    with log.open("wb") as output:
        process = spawn(spec, output.fileno())
    try:
        deadline = time.monotonic() + _START_S
        while not server.is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise BackupError(f"the embedded PostgreSQL did not start: {log.read_text()[-1000:]}")
            time.sleep(0.05)
        yield server
    finally:
        process.send_signal(spec.stop_signal)
        process.wait(_STOP_S)


# Another server numbers its transactions from the start again. Events with the old numbers would be delivered out of
# order, or never. A document or file that was erased while the backup was in progress has no content in it. Its
# unfinished jobs end with document_deleted, and batches with file_missing.
_AFTERWARDS = (
    "UPDATE jobs_event SET xid = '0'",
    # A backup that was made before this column existed can be restored as well.
    """DO $$ BEGIN
        IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'jobs_job'::regclass AND attname = 'last_xid') THEN
            UPDATE jobs_job SET last_xid = NULL WHERE last_xid IS NOT NULL;
        END IF;
    END $$""",
    # The horizon up to which events are erased uses the same transaction numbers.
    """DO $$ BEGIN
        IF to_regclass('jobs_eventhorizon') IS NOT NULL THEN
            UPDATE jobs_eventhorizon h SET xid = '0', event_id = coalesce(
                (SELECT min(e.id) - 1 FROM jobs_event e WHERE e.tenant_id = h.tenant_id), event_id
            );
        END IF;
    END $$""",
    "DELETE FROM jobs_documentpage WHERE document_id = ANY(%(erased)s::uuid[])",
    "DELETE FROM jobs_storedfile WHERE id = ANY(%(erased)s::uuid[])",
    "UPDATE jobs_page SET cache_key = NULL WHERE job_id IN"
    " (SELECT id FROM jobs_job WHERE document_id = ANY(%(erased)s::uuid[]))",
    "UPDATE jobs_document SET deleted_at = now() WHERE id = ANY(%(erased)s::uuid[])",
)
_TABLES_THERE = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"


@dataclass(frozen=True, slots=True)
class Target:
    """The database to restore into. It is embedded if no URL is given."""

    url: str
    superuser_url: str


class PuttingBack:
    def __init__(self, folder: BackupFolder, target: Target | None, say: Callable[[str], None]) -> None:
        self._folder = folder
        self._manifest = folder.read()
        self._target = target
        self._say = say

    def run(self, verify: Callable[[str], None]) -> None:
        """Restore the backup. `verify` gets the URL of the restored database, and raises if it is incomplete."""
        _refuse_newer(self._manifest)
        secrets = self._secrets()
        self._check_files()
        self._put_state(secrets)
        with self._database() as target:
            self._load(target.superuser_url)
            self._settle(target.superuser_url)
            self._put_files()
            verify(target.url)

    def _secrets(self) -> dict[str, str]:
        """Return the backup's secrets unless others are given. The pepper must be that of the keys' hashes."""
        given = {name: os.environ.get(name, "") for name in ("MAAS_SECRET_KEY", "MAAS_KEY_PEPPER")}
        held = read_map(self._folder.state / "secrets.json")
        secrets = held | {name: value for name, value in given.items() if value}
        missing = sorted(given.keys() - secrets.keys())
        if missing:
            raise BackupError(f"the backup holds no secrets: set {' and '.join(missing)} to what they were")
        if pepper_mark(secrets["MAAS_KEY_PEPPER"]) != self._manifest.pepper_mark:
            raise BackupError("MAAS_KEY_PEPPER is not the one of the backup: every API key would be refused")
        return secrets

    def _check_files(self) -> None:
        self._say("checking the backup's files")
        for held in self._folder.held_files():
            path = self._folder.file(held.name)
            if not path.exists():
                raise BackupError(f"{path} is missing from the backup")
            with path.open("rb") as stream:
                digest = file_digest(stream, "sha256").hexdigest()
            if digest != held.sha256:
                raise BackupError(f"{path} is damaged: its sha256 is not the one in files.jsonl")

    def _put_state(self, secrets: dict[str, str]) -> None:
        home = settings.MAAS_HOME
        taken = [name for name in ("secrets.json", "postgres", "files") if (home / name).exists()]
        if taken:
            raise BackupError(f"{home} has {taken[0]} already: set MAAS_HOME to a folder that is empty or new")
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_map(home / "secrets.json", secrets)
        for name in KEPT_STATE:
            if (self._folder.state / name).exists():
                shutil.copy2(self._folder.state / name, home / name)

    @contextmanager
    def _database(self) -> Iterator[Target]:
        if self._target is None:
            with embedded_postgres(settings.MAAS_HOME) as server:
                yield Target(server.url, server.superuser_url("maas"))
            return
        with psycopg.connect(self._target.superuser_url) as connection:
            there = connection.execute(_TABLES_THERE).fetchone()
        if there is None or there[0]:
            raise BackupError("the database has tables already: give one that is new and empty")
        yield self._target

    def _load(self, url: str) -> None:
        self._say("loading the database")
        if EMBEDDINGS not in self._manifest.rows or programs.takes_embeddings(url):
            programs.load(url, self._folder.dump)
            return
        self._say("this PostgreSQL has no pgvector 0.7: pages will not be found by meaning; all else is loaded")
        programs.load(url, self._folder.dump, chosen=programs.without_embeddings)
        del self._manifest.rows[EMBEDDINGS]

    def _settle(self, url: str) -> None:
        with psycopg.connect(url) as connection:
            self._compare_counts(connection)
            for statement in _AFTERWARDS:
                connection.execute(statement, {"erased": self._manifest.erased_documents})

    def _compare_counts(self, connection: psycopg.Connection) -> None:
        for table, expected in self._manifest.rows.items():
            found = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table)))
            row = found.fetchone()
            if row is None or row[0] != expected:
                raise BackupError(f"{table} has {row and row[0]} rows; the backup was made of {expected}")

    def _put_files(self) -> None:
        if not self._manifest.has_files:
            self._say("the backup holds no files: bring them back by the means that saved them")
            return
        self._say("putting the files back")
        for held in self._folder.held_files():
            with self._folder.file(held.name).open("rb") as stream:
                default_storage.save(held.name, File(stream))


def _refuse_newer(manifest: Manifest) -> None:
    """Refuse a backup with migrations unknown to this version. Older tables are migrated by the next start."""
    on_disk = MigrationLoader(None).disk_migrations
    unknown = [name for name in manifest.migrations if tuple(name.split(".", 1)) not in on_disk]
    if unknown:
        raise BackupError(
            f"the backup has a migration that this version does not know ({unknown[0]}): it was made by a newer "
            "version, or by one before the first release. Restore it with the version that made it"
        )
