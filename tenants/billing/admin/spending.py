"""Texts about the amounts that tenants spend and owe, for the list of tenants and for their pages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, F, IntegerField, Q, QuerySet, Sum, Value
from django.utils import timezone

from tenants.admin_base.health import Trouble, Troubles
from tenants.billing.invoices.models import Invoice
from tenants.billing.ledger.models import Wallet
from tenants.billing.usage.models import UsageDay, UsageTotal
from tenants.core.months import Month
from tenants.plans.wording import rounded_money

_OPEN = F("due_micros") - F("paid_micros") - F("credited_micros") - F("written_off_micros")
_NONE = Value(0, output_field=IntegerField())
_NOTHING_LEFT = Count("id", filter=Q(available_micros__lte=-F("credit_line_micros")))


class _Row(NamedTuple):
    currency: str
    micros: int
    many: int
    """The number of wallets or invoices that the sum is made of."""
    bad: int
    """The number of these invoices that are overdue, or of these wallets that are used up."""


Spending = Mapping[str, Sequence[_Row]]
"""The rows of one tenant, grouped by kind: `used`, `has` or `owes`."""


def spending_of(tenant_ids: Sequence[UUID]) -> dict[UUID, Spending]:
    """Return the spending of the tenants in one query, for pages with many tenants. Call it in operator work."""
    first = _month().first
    of_month = {"tenant_id__in": tenant_ids, "day__gte": first, "livemode": True}
    totals = UsageTotal.objects.filter(**of_month)
    days = UsageDay.objects.filter(shard__lt=UsageDay.TOTALLED, **of_month)
    wallets = Wallet.objects.filter(tenant_id__in=tenant_ids, kind=Wallet.Kind.PREPAID)
    still_open = Invoice.objects.filter(tenant_id__in=tenant_ids, kind=Invoice.Kind.INVOICE, status=Invoice.Status.OPEN)
    late = Count("id", filter=Q(due_on__lt=timezone.now().date()))
    found = _summed(totals, "used", Sum("amount_micros")).union(
        _summed(days, "used", Sum("amount_micros")),
        _summed(wallets, "has", Sum("available_micros"), Count("id"), _NOTHING_LEFT),
        _summed(still_open, "owes", Sum(_OPEN), Count("id"), late),
        all=True,
    )
    rows: dict[UUID, dict[str, list[_Row]]] = defaultdict(lambda: defaultdict(list))
    for tenant_id, currency, what, micros, many, bad in found:
        rows[tenant_id][what].append(_Row(currency, int(micros), many, bad))
    return {tenant_id: {what: sorted(some) for what, some in theirs.items()} for tenant_id, theirs in rows.items()}


def _summed(rows: "QuerySet[Any]", what: str, micros: Sum, many: Any = _NONE, bad: Any = _NONE) -> Any:
    by_currency = rows.order_by().values_list("tenant_id", "currency")
    return by_currency.annotate(what=Value(what), micros=micros, many=many, bad=bad)


def spending_words(rows: Spending) -> str:
    month = f"{used_words(rows) or 'nothing'} used in {_month().title}"
    return " · ".join([month, *_balances(rows), *_owed(rows)])


def used_words(rows: Spending) -> str:
    """Return the text for the amounts used this month. Return an empty string if there are none."""
    spent: dict[str, int] = defaultdict(int)
    for row in rows.get("used", ()):
        spent[row.currency] += row.micros
    return " + ".join(rounded_money(micros, currency) for currency, micros in spent.items())


def money_troubles(tenant_ids: Sequence[UUID], found: Mapping[UUID, Spending]) -> Troubles:
    return {tenant_id: _troubles(found.get(tenant_id, {})) for tenant_id in tenant_ids}


def _troubles(rows: Spending) -> list[Trouble]:
    overdue = sum(row.bad for row in rows.get("owes", ()))
    used_up = [row.currency for row in rows.get("has", ()) if row.bad]
    found = []
    if overdue:
        text = f"{overdue} {'invoice' if overdue == 1 else 'invoices'} overdue"
        found.append(Trouble(text, "tenants_invoice", {"status__exact": str(Invoice.Status.OPEN)}))
    if used_up:
        found.append(Trouble(f"no {', '.join(used_up)} balance left", "tenants_wallet", {}))
    return found


def _balances(rows: Spending) -> list[str]:
    return [f"balance {rounded_money(row.micros, row.currency)}" for row in rows.get("has", ())]


def _owed(rows: Spending) -> list[str]:
    return [
        f"{rounded_money(row.micros, row.currency)} open on {row.many} {'invoice' if row.many == 1 else 'invoices'}"
        + (f", {row.bad} overdue" if row.bad else "")
        for row in rows.get("owes", ())
    ]


def _month() -> Month:
    return Month.of(timezone.now().date())
