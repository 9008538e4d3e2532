"""What a tenant spends and owes, in words for its page."""

from collections import defaultdict
from uuid import UUID

from django.db.models import Count, F, Q, Sum
from django.utils import timezone

from tenants.billing.models import UsageDay, UsageTotal
from tenants.billing.months import Month
from tenants.billing.wording import money
from tenants.models import Invoice, Wallet

_OPEN = F("due_micros") - F("paid_micros") - F("credited_micros") - F("written_off_micros")


def spending_words(tenant_id: UUID) -> str:
    """In an operator's work."""
    return " · ".join([_this_month(tenant_id), *_balances(tenant_id), *_owed(tenant_id)])


def _this_month(tenant_id: UUID) -> str:
    month, spent = Month.of(timezone.now().date()), defaultdict[str, int](int)
    of_month = {"tenant_id": tenant_id, "day__gte": month.first, "livemode": True}
    parts = (
        UsageTotal.objects.filter(**of_month),
        UsageDay.objects.filter(shard__lt=UsageDay.TOTALLED, **of_month),
    )
    for rows in parts:
        for currency, micros in rows.values_list("currency").annotate(Sum("amount_micros")):
            spent[currency] += int(micros)
    told = " + ".join(money(micros, currency) for currency, micros in sorted(spent.items()))
    return f"{told or 'nothing'} used in {month.title}"


def _balances(tenant_id: UUID) -> list[str]:
    wallets = Wallet.objects.filter(tenant_id=tenant_id, kind=Wallet.Kind.PREPAID).order_by("currency")
    return [f"balance {money(one.available_micros, one.currency)}" for one in wallets]


def _owed(tenant_id: UUID) -> list[str]:
    still_open = Invoice.objects.filter(
        tenant_id=tenant_id, kind=Invoice.Kind.INVOICE, status=Invoice.Status.OPEN
    )
    late = Q(due_on__lt=timezone.now().date())
    found = still_open.values_list("currency").annotate(Sum(_OPEN), Count("id"), Count("id", filter=late))
    return [
        f"{money(int(due), currency)} open on {count} {'invoice' if count == 1 else 'invoices'}"
        + (f", {overdue} overdue" if overdue else "")
        for currency, due, count, overdue in found.order_by("currency")
    ]
