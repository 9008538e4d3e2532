"""Erases data whose retention has ended, as the scheduler does by itself, or shows what would be erased."""

from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandParser

from jobs.retention.batches import forget_words_of_batches
from jobs.retention.events import erase_old_events
from jobs.retention.preview import overdue
from jobs.retention.sweep import erase_overdue
from tenants.core.progress import Progress, progress_of


class Command(BaseCommand):
    help = "Erases documents, results, events and texts of batches whose retention has ended."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="count what would be erased, and erase nothing")
        parser.add_argument("--tenant", type=UUID, help="with --dry-run: ID of the only tenant to count")

    def handle(self, *args: Any, dry_run: bool, tenant: UUID | None, **options: Any) -> None:
        progress = progress_of(self, options)
        if dry_run:
            self._preview(tenant, progress)
            return
        progress.stage("erasing the texts of batches")
        while batches := forget_words_of_batches():
            self.stdout.write(f"erased the metadata and errors of {batches} batches")
        progress.stage("erasing documents, jobs and events")
        while (jobs_and_documents := erase_overdue(progress)) + (events := erase_old_events(progress)):
            self.stdout.write(f"erased {jobs_and_documents} jobs and documents, {events} events")

    def _preview(self, tenant: UUID | None, progress: Progress) -> None:
        progress.stage("counting what is overdue")
        nothing = True
        for row in overdue(tenant):
            nothing = False
            self.stdout.write(
                f"{row.tenant_id}  {row.number:>9,} {row.what:<9}  from {row.oldest:%Y-%m-%d} to {row.newest:%Y-%m-%d}"
            )
        if nothing:
            self.stdout.write("nothing is overdue")
