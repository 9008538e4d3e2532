"""Reads every file that the database names, and lists the missing and damaged ones."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from maas.ops.backup.named_files import verify_files
from tenants.core.progress import progress_of


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        found = verify_files(progress_of(self, options))
        self.stdout.write(f"{found.files} files of {found.bytes} bytes are as the database says")
        if found.problems:
            raise CommandError("\n".join(found.problems))
