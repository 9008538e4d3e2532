"""Reads of a tenant's usage; inside its unit of work."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.db.models import Min, Q, QuerySet, Sum

from tenants.billing.models import UsageDay
from tenants.billing.months import Month
from tenants.billing.summary import UsageLine
from tenants.billing.usage.asked import Only

_NOTHING = Only()
_SUMS = (
    Sum("quantity"),
    Sum("amount_micros"),
    Sum("records"),
    Sum("saved_micros"),
)


@dataclass(frozen=True)
class Used:
    """What there is to choose from in a month."""

    models: tuple[str, ...]
    keys: tuple[str, ...]
    """Ids; empty for what no key did."""


def usage_of(month: Month, only: Only = _NOTHING) -> list[UsageLine]:
    """One line for each day, model, meter, currency and mode, in this order."""
    return _lines(_of_month(month, only), "model")


def usage_by_key(month: Month, only: Only = _NOTHING) -> list[UsageLine]:
    """The same by key, whose id stands for the model; empty where no key was."""
    return _lines(_of_month(month, only), "key_id")


def _lines(days: "QuerySet[UsageDay]", by: str) -> list[UsageLine]:
    rows = (
        days.values_list("day", by, "meter", "currency", "livemode")
        .annotate(*_SUMS, known=Sum("records", filter=Q(cached=True), default=0))
        .order_by("day", by, "meter", "currency", "-livemode")
    )
    # Postgres sums big integers into decimals.
    return [
        UsageLine(row[0], str(row[1] or ""), *row[2:5], *(int(number) for number in row[5:])) for row in rows
    ]


def cost_by_day(first: date, last: date, only: Only = _NOTHING) -> Mapping[str, Mapping[date, int]]:
    """What was charged, by currency, both days included."""
    rows = (
        _days(only)
        .filter(day__gte=first, day__lte=last, livemode=True)
        .values_list("currency", "day")
        .annotate(Sum("amount_micros"))
    )
    found: dict[str, dict[date, int]] = defaultdict(dict)
    for currency, day, micros in rows:
        found[currency][day] = int(micros)
    return found


def used_in(month: Month) -> Used:
    pairs = _of_month(month, _NOTHING).values_list("model", "key_id").distinct()
    found = list(pairs)
    return Used(
        tuple(sorted({model for model, _ in found})), tuple(sorted({str(key or "") for _, key in found}))
    )


def first_day_used(only: Only = _NOTHING) -> date | None:
    found: date | None = _days(only).aggregate(Min("day"))["day__min"]
    return found


def _of_month(month: Month, only: Only) -> "QuerySet[UsageDay]":
    return _days(only).filter(day__gte=month.first, day__lt=month.after_last)


def _days(only: Only) -> "QuerySet[UsageDay]":
    days = UsageDay.objects.all()
    if only.models:
        days = days.filter(model__in=only.models)
    if only.keys:
        named = Q(key_id__in=[key for key in only.keys if key is not None])
        days = days.filter(named | Q(key_id=None) if None in only.keys else named)
    return days if only.livemode is None else days.filter(livemode=only.livemode)
