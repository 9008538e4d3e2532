"""Deletes entries of the audit logs that are older than a number of days; only the owner of the tables can do this."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections, transaction

MIN_DAYS = 30
# Row security applies even to the owner. It is lifted for this transaction alone, which locks the table meanwhile.
_OPEN = ("SET LOCAL lock_timeout = '5s'", "ALTER TABLE tenants_auditentry NO FORCE ROW LEVEL SECURITY")
_FORGET = "DELETE FROM tenants_auditentry WHERE at < now() - make_interval(days => %s)"
_SHUT = "ALTER TABLE tenants_auditentry FORCE ROW LEVEL SECURITY"


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--days", type=int, required=True, help=f"delete entries older than this; at least {MIN_DAYS}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        days: int = options["days"]
        if days < MIN_DAYS:
            raise CommandError(f"--days {days} is too few: entries stay {MIN_DAYS} days at least.")
        with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
            for statement in _OPEN:
                cursor.execute(statement)
            cursor.execute(_FORGET, [days])
            gone = cursor.rowcount
            cursor.execute(_SHUT)
        self.stdout.write(f"{gone} entries older than {days} days are gone.")
