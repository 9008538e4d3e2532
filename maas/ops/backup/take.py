"""Takes a backup of a running product: a snapshot of the database, then every file that its rows name."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TextIO

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connections, transaction

from maas.local.launch.state_files import write_map
from maas.ops.backup import programs
from maas.ops.backup.folder import KEPT_STATE, BackupError, BackupFolder, HeldFile, Manifest, pepper_mark
from maas.ops.backup.named_files import NamedFile, is_named_still, named_files
from tenants.core.db.roles import OPERATOR_ROLE
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.progress import SILENT, Progress
from tenants.limits.quota.wording import size

# A table with row security but without the policy `operator_access` would be dumped without its rows, and without an
# error.
_HIDDEN = """
SELECT relname FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relrowsecurity
  AND relname NOT IN (SELECT tablename FROM pg_policies WHERE schemaname = 'public' AND policyname = 'operator_access')
"""
_TABLES = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname
"""


@contextmanager
def one_moment() -> Iterator[str]:
    """Open a snapshot in the operator's scope, and yield its name, which is valid while this context is open."""
    with operator_work(), transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        yield str(cursor.fetchone()[0])


def refuse_hidden_tables() -> None:
    hidden = _names(_HIDDEN)
    if hidden:
        raise BackupError(f"row security would hide rows of {', '.join(hidden)}: give them an operator_access")


def row_counts() -> dict[str, int]:
    counts = {}
    with connections[OPERATOR].cursor() as cursor:
        for table in _names(_TABLES):
            cursor.execute(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - the name comes from the catalog
            counts[table] = int(cursor.fetchone()[0])
    return counts


def applied_migrations() -> list[str]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT app || '.' || name FROM django_migrations ORDER BY 1")
        return [str(row[0]) for row in cursor.fetchall()]


def _names(query: str) -> list[str]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(query)
        return [str(row[0]) for row in cursor.fetchall()]


PIECE_BYTES = 2**20


class Taking:
    """A backup in progress. A file that `previous` contains is linked, because file names are never reused."""

    def __init__(
        self,
        root: Path,
        *,
        previous: BackupFolder | None,
        files: bool,
        secrets: bool,
        progress: Progress = SILENT,
    ) -> None:
        self._folder = BackupFolder.new(root)
        self._known = {} if previous is None else {held.name: held for held in previous.held_files()}
        self._previous = previous
        self._files = files
        self._secrets = secrets
        self._progress = progress
        self._held_files = self._held_bytes = 0
        self.erased: set[str] = set()
        self.problems: list[str] = []

    def run(self) -> Manifest:
        with one_moment() as snapshot:
            refuse_hidden_tables()
            wanted = self._wanted()
            self._progress.stage("counting the database's rows")
            rows, migrations = row_counts(), applied_migrations()
            self._progress.stage(f"dumping {sum(rows.values()):,} rows")
            programs.dump(
                settings.MAAS_DATABASE_URL,
                self._folder.dump,
                snapshot=snapshot,
                role=OPERATOR_ROLE,
                waiting=lambda: self._progress.within(self._dumped()),
            )
        self.copy(wanted)
        self._keep_state()
        manifest = Manifest(
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            migrations=migrations,
            rows=rows,
            files=self._held_files,
            bytes=self._held_bytes,
            pepper_mark=pepper_mark(settings.MAAS_KEY_PEPPER),
            has_files=self._files,
            has_secrets=self._secrets,
            erased_documents=sorted(self.erased),
            problems=self.problems,
        )
        self._folder.write(manifest)
        return manifest

    def _wanted(self) -> list[NamedFile]:
        if not self._files:
            return []
        self._progress.stage("listing the files that the database names")
        return list(named_files())

    def _dumped(self) -> str:
        dump = self._folder.dump
        return f"dumped {size(dump.stat().st_size if dump.exists() else 0)}, compressed"

    def copy(self, wanted: list[NamedFile]) -> None:
        """Copy the files after the dump. A file is stored before its row, so those of dumped rows exist."""
        if wanted:
            self._progress.stage(f"saving {len(wanted):,} files")
        with self._folder.files_list.open("w") as lines, operator_work():
            for number, file in enumerate(wanted):
                self._progress.within(f"saved {number:,} of {len(wanted):,} files, {size(self._held_bytes)}")
                self._copy_one(file, lines)

    def _copy_one(self, file: NamedFile, lines: TextIO) -> None:
        try:
            held = self._linked(file) or self._read(file)
        except FileNotFoundError:
            if is_named_still(file):
                self.problems.append(f"{file.name} is missing from the storage")
            else:
                self.erased.add(str(file.row_id))
            return
        if file.sha256 not in ("", held.sha256):
            self.problems.append(f"{file.name} is damaged: its sha256 is {held.sha256}")
        lines.write(json.dumps(asdict(held)) + "\n")
        self._held_files += 1
        self._held_bytes += held.bytes

    def _linked(self, file: NamedFile) -> HeldFile | None:
        held = self._known.get(file.name)
        if held is None or self._previous is None:
            return None
        target = self._place(file.name)
        try:
            os.link(self._previous.file(file.name), target)
        except OSError:  # the file is on another disk, or is gone
            return None
        return held

    def _read(self, file: NamedFile) -> HeldFile:
        digest, read_bytes = sha256(), 0
        with default_storage.open(file.name) as source, self._place(file.name).open("xb") as target:
            while piece := source.read(PIECE_BYTES):
                digest.update(piece)
                read_bytes += len(piece)
                target.write(piece)
        return HeldFile(file.name, digest.hexdigest(), read_bytes)

    def _place(self, name: str) -> Path:
        target = self._folder.file(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def _keep_state(self) -> None:
        self._folder.state.mkdir()
        if not self._secrets:
            return
        secrets = {"MAAS_SECRET_KEY": settings.SECRET_KEY, "MAAS_KEY_PEPPER": settings.MAAS_KEY_PEPPER}
        write_map(self._folder.state / "secrets.json", secrets)
        for name in KEPT_STATE:
            if (settings.MAAS_HOME / name).exists():
                shutil.copy2(settings.MAAS_HOME / name, self._folder.state / name)
