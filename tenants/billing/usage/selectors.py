"""Reads of a tenant's usage, inside its unit of work."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import DateField, F, Min, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, TruncMonth

from tenants.billing.usage.models import UsageDay, UsageMonth, UsageTotal
from tenants.billing.usage.summary import UsageLine
from tenants.billing.usage.usage_query import Only
from tenants.core.months import Month

Rows = QuerySet[Any]
_NOTHING = Only()
_MONTH = Cast(TruncMonth("day"), DateField())
"""The first day of the month. Without the cast it is a timestamp in SQL and cannot be combined with dates."""
_SUMS = {
    "of_quantity": Sum("quantity"),
    "of_amount": Sum("amount_micros"),
    "of_records": Sum("records"),
    "of_saved": Sum("saved_micros"),
    "of_known": Sum("records", filter=Q(cached=True), default=0),
}


@dataclass(frozen=True)
class Used:
    """The models and keys with usage in some months, as choices for a filter."""

    models: tuple[str, ...]
    keys: tuple[str, ...]
    """Ids of keys. An empty text stands for usage without a key."""

    @classmethod
    def of(cls, lines: Sequence[UsageLine], of_keys: Sequence[UsageLine]) -> "Used":
        """Return the choices from rows that were already read without a filter."""
        return cls(*(tuple(sorted({line.model for line in one})) for one in (lines, of_keys)))


def usage_of(month: Month, only: Only = _NOTHING) -> list[UsageLine]:
    """Return one row for each day, model, meter, currency and mode, in this order."""
    return _lines(_of_all_keys(only, day__gte=month.first, day__lt=month.after_last), "day", "model")


def usage_of_keys(month: Month, only: Only = _NOTHING, *, since: Month | None = None) -> list[UsageLine]:
    """Return the month's sums per key. The key's id, or an empty text for no key, takes the position of the model.

    All rows are on the first day of the month. `since` adds the months from that one on.
    """
    parts = [rows.annotate(all_on=Value(month.first)) for rows in _of_months(since or month, month, only)]
    return _lines(parts, "all_on", "key_id")


def months_of_models(since: Month, month: Month, only: Only = _NOTHING) -> list[UsageLine]:
    """Return the sums per model, with rows for each month on its first day."""
    days = _of_all_keys(only, day__gte=since.first, day__lt=month.after_last)
    return _lines([rows.annotate(of_month=_MONTH) for rows in days], "of_month", "model")


def months_of_keys(
    since: Month, month: Month, keys: Collection[str], only: Only = _NOTHING
) -> list[UsageLine]:
    """Return the sums per month of only these keys."""
    return _lines([_named(rows, keys) for rows in _of_months(since, month, only)], "of_month", "key_id")


def days_of_keys(month: Month, keys: Collection[str], only: Only = _NOTHING) -> list[UsageLine]:
    """Return the sums per day of only these keys."""
    days = _days(only).filter(day__gte=month.first, day__lt=month.after_last)
    return _lines([_named(days, keys)], "day", "key_id")


def cost_by_day(first: date, last: date, only: Only = _NOTHING) -> Mapping[str, Mapping[date, int]]:
    """Return the charged amounts by currency and day. Both days are included."""
    found: dict[str, dict[date, int]] = defaultdict(lambda: defaultdict(int))
    parts = _of_all_keys(only, day__gte=first, day__lte=last, livemode=True)
    costs = [rows.values_list("currency", "day").annotate(cost=Sum("amount_micros")) for rows in parts]
    for currency, day, micros in _together(costs):
        found[currency][day] += int(micros)
    return found


def used_in(since: Month, month: Month) -> Used:
    parts = _of_months(since, month, _NOTHING)
    found = set(_together([rows.values_list("model", "key_id").distinct() for rows in parts]))
    return Used(
        tuple(sorted({model for model, _ in found})), tuple(sorted({str(key or "") for _, key in found}))
    )


def first_day_used(only: Only = _NOTHING) -> date | None:
    found: date | None = _days(only).aggregate(Min("day"))["day__min"]
    return found


def _lines(parts: Sequence[Rows], day: str, by: str) -> list[UsageLine]:
    """Return the summed rows. Rows from several tables that have the same columns become one."""
    columns = (day, by, "meter", "currency", "livemode")
    found: dict[tuple[Any, ...], list[int]] = {}
    for row in _together([rows.values_list(*columns).annotate(**_SUMS) for rows in parts]):
        # Postgres returns sums of big integers as decimals.
        numbers = [int(number) for number in row[5:]]
        known = found.setdefault(row[:5], numbers)
        if known is not numbers:
            found[row[:5]] = [one + more for one, more in zip(known, numbers, strict=True)]
    lines = [UsageLine(row[0], str(row[1] or ""), *row[2:], *numbers) for row, numbers in found.items()]
    return sorted(
        lines, key=lambda line: (line.day, line.model, line.meter, line.currency, not line.livemode)
    )


def _together(parts: Sequence[Rows]) -> Rows:
    """Combine the parts in one statement. Rows that are merged between two statements would be counted twice or not at
    all.
    """
    first, *others = parts
    return first.union(*others, all=True) if others else first


def _of_all_keys(only: Only, **of: object) -> Sequence[Rows]:
    """Return the sums by day, from the table with the fewest rows that can answer the query
    (tenants/billing/usage/sources.py).
    """
    if only.keys:
        return [_days(only).filter(**of)]
    totals = _narrowed(UsageTotal.objects.all(), only)
    return [totals.filter(**of), _days(only).filter(shard__lt=UsageDay.TOTALLED, **of)]


def _of_months(since: Month, month: Month, only: Only) -> Sequence[Rows]:
    """Return the sums of the months and the day sums that are not in them yet. Each row has its month's first day."""
    days = _days(only).filter(shard__lt=UsageDay.SETTLED, day__gte=since.first, day__lt=month.after_last)
    months = UsageMonth.objects.filter(month__gte=since.first, month__lte=month.first)
    told = _of_keys(_narrowed(months, only), only)
    return [told.annotate(of_month=F("month")), days.annotate(of_month=_MONTH)]


def _named(rows: Rows, keys: Collection[str]) -> Rows:
    named = Q(key_id__in=[key for key in keys if key])
    return rows.filter(named | Q(key_id=None) if "" in keys else named)


def _days(only: Only) -> Rows:
    return _of_keys(_narrowed(UsageDay.objects.all(), only), only)


def _narrowed(rows: Rows, only: Only) -> Rows:
    if only.models:
        rows = rows.filter(model__in=only.models)
    return rows if only.livemode is None else rows.filter(livemode=only.livemode)


def _of_keys(rows: Rows, only: Only) -> Rows:
    if not only.keys:
        return rows
    named = Q(key_id__in=[key for key in only.keys if key is not None])
    return rows.filter(named | Q(key_id=None) if None in only.keys else named)
