"""Gives back at once what was both billed and charged, as when a job runs on after its month was billed."""

from collections.abc import Mapping
from datetime import date

from tenants.billing.invoices.collecting import records_of
from tenants.billing.invoices.models import ClosedMonth
from tenants.billing.ledger import postings
from tenants.billing.ledger.posting import Source, post
from tenants.core.months import Month


def give_back_billed(source: Source, charged: Mapping[date, int]) -> None:
    """Give back the billed part of `charged`, by month of work, in the charge's transaction with the wallet locked.

    A month with late usage may be billed without this work. It is skipped, and the next invoice evens it out.
    """
    closed = ClosedMonth.objects.filter(tenant_id=source.tenant_id, month__in=charged)
    whole = [one.month for one in closed if records_of(source.tenant_id, Month.of(one.month)) == one.records]
    if back := sum(charged[month] for month in whole):
        post(source, postings.bill(adjusted_micros=-back, tax_micros=0, due_micros=0))
