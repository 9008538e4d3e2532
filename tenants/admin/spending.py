"""What a tenant spends and owes, in words for its page."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Count, F, IntegerField, Q, QuerySet, Sum, Value
from django.utils import timezone

from tenants.billing.models import UsageDay, UsageTotal
from tenants.billing.months import Month
from tenants.billing.wording import money
from tenants.models import Invoice, Wallet

_OPEN = F("due_micros") - F("paid_micros") - F("credited_micros") - F("written_off_micros")
_NONE = Value(0, output_field=IntegerField())
_Rows = Mapping[str, Sequence[tuple[str, int, int, int]]]
"""By what they are: currency, micros, how many, and how many of them are overdue."""


def spending_words(tenant_id: UUID) -> str:
    """In an operator's work. One look, for a page that makes many."""
    month = Month.of(timezone.now().date())
    rows = _rows(tenant_id, month)
    return " · ".join([_this_month(rows, month), *_balances(rows), *_owed(rows)])


def _rows(tenant_id: UUID, month: Month) -> _Rows:
    of_month = {"tenant_id": tenant_id, "day__gte": month.first, "livemode": True}
    totals = UsageTotal.objects.filter(**of_month)
    days = UsageDay.objects.filter(shard__lt=UsageDay.TOTALLED, **of_month)
    wallets = Wallet.objects.filter(tenant_id=tenant_id, kind=Wallet.Kind.PREPAID)
    still_open = Invoice.objects.filter(
        tenant_id=tenant_id, kind=Invoice.Kind.INVOICE, status=Invoice.Status.OPEN
    )
    late = Count("id", filter=Q(due_on__lt=timezone.now().date()))
    found = _summed(totals, "used", Sum("amount_micros")).union(
        _summed(days, "used", Sum("amount_micros")),
        _summed(wallets, "has", Sum("available_micros")),
        _summed(still_open, "owes", Sum(_OPEN), Count("id"), late),
        all=True,
    )
    rows: dict[str, list[tuple[str, int, int, int]]] = defaultdict(list)
    for currency, what, micros, many, overdue in found:
        rows[what].append((currency, int(micros), many, overdue))
    return {what: sorted(some) for what, some in rows.items()}


def _summed(rows: "QuerySet[Any]", what: str, micros: Sum, many: Any = _NONE, overdue: Any = _NONE) -> Any:
    by_currency = rows.order_by().values_list("currency")
    return by_currency.annotate(what=Value(what), micros=micros, many=many, overdue=overdue)


def _this_month(rows: _Rows, month: Month) -> str:
    spent: dict[str, int] = defaultdict(int)
    for currency, micros, *_ in rows.get("used", ()):
        spent[currency] += micros
    told = " + ".join(money(micros, currency) for currency, micros in spent.items())
    return f"{told or 'nothing'} used in {month.title}"


def _balances(rows: _Rows) -> list[str]:
    return [f"balance {money(micros, currency)}" for currency, micros, *_ in rows.get("has", ())]


def _owed(rows: _Rows) -> list[str]:
    return [
        f"{money(micros, currency)} open on {count} {'invoice' if count == 1 else 'invoices'}"
        + (f", {overdue} overdue" if overdue else "")
        for currency, micros, count, overdue in rows.get("owes", ())
    ]
