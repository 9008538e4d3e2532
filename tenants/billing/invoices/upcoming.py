"""The invoice that the present month would give if it ended now, for programs and for the dashboard."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tenants.billing.invoices.calculation import Draft
from tenants.billing.invoices.invoice_json import plain
from tenants.billing.invoices.selectors import upcoming
from tenants.billing.invoices.wording import text_of
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work
from tenants.core.months import Month
from tenants.plans.models import Plan
from tenants.plans.wording import rounded_money


@dataclass(frozen=True)
class Upcoming:
    month: Month
    known: bool
    """True if the amounts were summed up. It is false if nothing is billed here or if there is too much to sum up
    now.
    """
    told: list[dict[str, Any]]


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
    return Upcoming(month, drafts is not None, [_told(draft, month, plans) for draft in drafts or ()])


def upcoming_rows(tenant_id: UUID) -> list[UpcomingRow]:
    """Return rows for people: an amount per currency with a note about it."""
    found = upcoming_now(tenant_id)
    return [
        UpcomingRow(
            rounded_money(one["total_micros"], one["currency"]),
            f"{found.month.title} until now, with {rounded_money(one['tax_micros'], one['currency'])} of tax.",
        )
        for one in found.told
    ]


def _told(draft: Draft, month: Month, plans: dict[UUID, str]) -> dict[str, Any]:
    currency = draft.currency
    sums = {"net": draft.net_micros, "tax": draft.tax_micros, "total": draft.total_micros}
    return {
        "object": "upcoming_invoice",
        "month": str(month),
        "currency": currency,
        **{f"{name}_micros": micros for name, micros in sums.items()},
        **{f"{name}_amount": plain(micros, currency) for name, micros in sums.items()},
        "lines": [
            {
                "kind": line.item.kind,
                "month": f"{line.item.month:%Y-%m}",
                "late": line.late,
                "text": text_of(line, plans),
                "model": line.item.model,
                "cached": line.item.cached,
                "price": line.item.price.to_json() if line.item.price else None,
                "quantity": line.amount.quantity,
                "included": line.amount.included,
                "exact_micros": line.amount.exact_micros,
                "amount_micros": line.amount_micros,
                "amount": plain(line.amount_micros, currency),
            }
            for line in draft.lines
        ],
    }
