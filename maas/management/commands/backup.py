"""Writes a backup of the running product into a new folder: database, files and secrets."""

import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError

from maas.ops.backup.folder import BackupFolder
from maas.ops.backup.take import Taking
from maas.process.errors import LaunchError
from tenants.core.progress import progress_of


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="folder to create; it must not exist")
        parser.add_argument(
            "--previous", type=Path, help="older backup on the same disk; unchanged files are linked to it"
        )
        parser.add_argument("--without-files", action="store_true", help="leave out the files of the storage")
        parser.add_argument("--without-secrets", action="store_true", help="leave out the secret key and the pepper")

    def handle(self, *args: Any, **options: Any) -> None:
        started = time.monotonic()
        folder: Path = options["folder"]
        previous = None if options["previous"] is None else BackupFolder(options["previous"])
        try:
            manifest = Taking(
                folder,
                previous=previous,
                files=not options["without_files"],
                secrets=not options["without_secrets"],
                progress=progress_of(self, options),
            ).run()
        except OperationalError as error:
            raise CommandError(
                f"the database cannot be reached; the product must run, or MAAS_DATABASE_URL be set: {error}"
            ) from error
        except (LaunchError, OSError) as error:
            raise CommandError(f"no backup was made: {error}") from error
        rows = sum(manifest.rows.values())
        self.stdout.write(f"{folder}: {rows} rows, {manifest.files} files ({time.monotonic() - started:.1f} s)")
        if manifest.problems:
            raise CommandError("the storage has faults:\n" + "\n".join(manifest.problems))
