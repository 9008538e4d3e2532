"""The invoice that the present month would give if it ended now, for programs and for the dashboard."""

import time
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from tenants.billing.invoices.calculation import Draft
from tenants.billing.invoices.collecting import records_of
from tenants.billing.invoices.errors import NotBillable
from tenants.billing.invoices.formats import amounts_json, line_json
from tenants.billing.invoices.issuing import lines_of
from tenants.billing.invoices.models import Invoice
from tenants.billing.invoices.services import preview_month
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work
from tenants.core.months import Month
from tenants.plans.models import Plan
from tenants.plans.wording import rounded_money

MAX_OF_TIME = 0.05
"""The largest share of the time that may be spent on computing the same result again."""
QUICK_S = 0.5
"""Results that took less time than this are always computed again."""
LONGEST_S = 300.0
CAPACITY = 500
MAX_RECORDS = 2_000_000
"""The most records that are summed up during a request."""


@dataclass(frozen=True, slots=True)
class _Kept:
    answer: list[Draft]
    until_s: float


@dataclass
class SlowResults:
    _kept: "OrderedDict[Hashable, _Kept]" = field(default_factory=OrderedDict)

    def find(self, of: Hashable, now_s: float) -> list[Draft] | None:
        kept = self._kept.get(of)
        return kept.answer if kept is not None and now_s < kept.until_s else None

    def keep(self, of: Hashable, answer: list[Draft], *, took_s: float, now_s: float) -> None:
        self._kept.pop(of, None)
        if took_s < QUICK_S:
            return
        self._kept[of] = _Kept(answer, now_s + min(LONGEST_S, took_s / MAX_OF_TIME))
        while len(self._kept) > CAPACITY:
            self._kept.popitem(last=False)


_slow = SlowResults()


def upcoming(tenant_id: UUID) -> list[Draft] | None:
    """Return the present month's drafts, or None if nothing is billed here or there is too much to sum up.

    It reads as the operator, outside the tenant's unit of work. A result that took long is cached for a while.
    """
    begun_s = time.monotonic()
    with operator_work():
        month = Month.of(database_now().date())
        if cached := _slow.find((tenant_id, month), begun_s):
            return cached
        if records_of(tenant_id, month) > MAX_RECORDS:
            return None
    try:
        found = preview_month(tenant_id, month)
    except NotBillable:
        return None
    now_s = time.monotonic()
    _slow.keep((tenant_id, month), found, took_s=now_s - begun_s, now_s=now_s)
    return found


@dataclass(frozen=True)
class Upcoming:
    month: Month
    calculated: bool
    """True if the amounts were summed up, and false if nothing is billed here or there is too much to sum up."""
    invoices: list[dict[str, Any]]


@dataclass(frozen=True)
class UpcomingRow:
    total: str
    note: str


def upcoming_now(tenant_id: UUID) -> Upcoming:
    """Return the upcoming invoices. Call it outside the tenant's unit of work."""
    drafts = upcoming(tenant_id)
    with operator_work():
        month = Month.of(database_now().date())
        plans = dict(Plan.objects.values_list("pk", "name"))
    return Upcoming(month, drafts is not None, [_json(draft, month, plans) for draft in drafts or ()])


def upcoming_rows(tenant_id: UUID) -> list[UpcomingRow]:
    """Return rows for people: an amount per currency with a note about it."""
    found = upcoming_now(tenant_id)
    return [
        UpcomingRow(
            rounded_money(amounts["total_micros"], amounts["currency"]),
            f"{found.month.title} until now, with {rounded_money(amounts['tax_micros'], amounts['currency'])} of tax.",
        )
        for amounts in found.invoices
    ]


def _json(draft: Draft, month: Month, plans: dict[UUID, str]) -> dict[str, Any]:
    sums = {"net": draft.net_micros, "tax": draft.tax_micros, "total": draft.total_micros}
    lines = lines_of(Invoice(), draft, plans)
    return {
        "object": "upcoming_invoice",
        "month": str(month),
        "currency": draft.currency,
        **amounts_json(sums, draft.currency),
        "lines": [line_json(line, draft.currency) for line in lines],
    }
