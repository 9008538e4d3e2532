"""Gives back at once an amount that was both billed and charged. This happens if a job runs on after one of its months
was billed.
"""

from collections.abc import Mapping
from datetime import date

from tenants.billing.invoices.collecting import records_of
from tenants.billing.invoices.models import ClosedMonth
from tenants.billing.ledger import postings
from tenants.billing.ledger.posting import Source, post
from tenants.core.months import Month


def give_back_billed(source: Source, charged: Mapping[date, int]) -> None:
    """Give the billed amounts back, in the transaction of the charge and with the wallet locked.

    `charged` holds the charged amount for each month in which the work was done. A month with late usage may not have
    been billed with this work in it. Such a month is skipped, and the next invoice evens it out.
    """
    closed = ClosedMonth.objects.filter(tenant_id=source.tenant_id, month__in=charged)
    whole = [one.month for one in closed if records_of(source.tenant_id, Month.of(one.month)) == one.records]
    if back := sum(charged[month] for month in whole):
        post(source, postings.bill(adjusted_micros=-back, tax_micros=0, due_micros=0))
