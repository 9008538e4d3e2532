"""Orders the indexing of jobs that search does not know yet, after an upgrade from a version without search. The
scheduler does the indexing.
"""

from datetime import UTC, date, datetime, time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from jobs.search.missing import order_missing
from tenants.core.ids import first_id_at


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--since",
            type=date.fromisoformat,
            default=date(1970, 1, 1),
            help="YYYY-MM-DD: look only at jobs that were submitted on this day (UTC) or later",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        ordered = order_missing(first_id_at(datetime.combine(options["since"], time(), UTC)))
        self.stdout.write(f"{ordered} jobs are to be indexed; a running scheduler does so, the newest first")
