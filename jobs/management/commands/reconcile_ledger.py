"""Compares the ledger with wallets, usage and jobs, and reads every row; the scheduler reads a part every night."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from jobs.charges.reconciling import reconcile
from tenants.billing.ledger.models import LedgerDifference
from tenants.core.db.unit_of_work import operator_work


class Command(BaseCommand):
    help = "Checks that the ledger, wallets, usage and jobs match. Exits with status 1 if they do not."

    def handle(self, *args: Any, **options: Any) -> None:
        if not reconcile():
            self.stdout.write("the books agree")
            return
        with operator_work():
            for row in LedgerDifference.objects.filter(resolved_at=None).order_by("found_at"):
                self.stdout.write(
                    f"{row.tenant_id}  {row.compared:<9}  {row.subject}  expected {row.expected_micros}, found "
                    f"{row.found_micros} {row.currency}"
                )
        raise CommandError("The books do not agree.")
