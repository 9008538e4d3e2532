"""Gives back at once what was both billed and charged: of a job that went on after a month of it was billed."""

from collections.abc import Mapping
from datetime import date

from tenants.billing.invoices.collecting import records_of
from tenants.billing.invoices.models import ClosedMonth
from tenants.billing.ledger import postings
from tenants.billing.ledger.journal import Source, post
from tenants.core.months import Month


def give_back_billed(source: Source, charged: Mapping[date, int]) -> None:
    """In the transaction of the charge, the wallet locked. `charged`: for work of these months.

    A month of which something came late may not have been billed with this work in it: the next invoice evens that out.
    """
    closed = ClosedMonth.objects.filter(tenant_id=source.tenant_id, month__in=charged)
    whole = [one.month for one in closed if records_of(source.tenant_id, Month.of(one.month)) == one.records]
    if back := sum(charged[month] for month in whole):
        post(source, postings.bill(adjusted_micros=-back, tax_micros=0, due_micros=0))
