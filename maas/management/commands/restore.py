"""Builds an installation from a backup, in a new MAAS_HOME or an empty database, and checks it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from psycopg import OperationalError

from maas.ops.backup.folder import BackupError, BackupFolder
from maas.ops.backup.put_back import PuttingBack, Target
from maas.process.errors import LaunchError


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="folder that `manage.py backup` wrote")
        parser.add_argument("--superuser-url", help="URL of the database in MAAS_DATABASE_URL, for a superuser")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            work = PuttingBack(BackupFolder(options["folder"]), _target(options["superuser_url"]), self._say)
            work.run(verify=self._verify)
        except (LaunchError, OperationalError, OSError) as error:
            raise CommandError(f"not restored: {error}") from error
        self._say(f"restored into {settings.MAAS_HOME}; start the product as always")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _verify(self, url: str) -> None:
        """Verify the files in another process, because this one read its settings before the database existed."""
        argv = [sys.executable, sys.argv[0], "verify_files", "--verbosity=0"]
        env = {**os.environ, "MAAS_HOME": str(settings.MAAS_HOME), "MAAS_DATABASE_URL": url}
        ended = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
        self._say(ended.stdout.strip())
        if ended.returncode != 0:
            raise BackupError(f"the restored files are not all there:\n{ended.stderr.strip()}")


def _target(superuser_url: str | None) -> Target | None:
    url = os.environ.get("MAAS_DATABASE_URL")
    if not url:
        if superuser_url:
            raise BackupError("--superuser-url goes with MAAS_DATABASE_URL: set it too")
        return None
    if not superuser_url:
        raise BackupError("MAAS_DATABASE_URL is set: give --superuser-url as well, to load what others own")
    return Target(url, superuser_url)
