"""Reads of a tenant's usage, inside its unit of work."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import DateField, F, Min, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, TruncMonth

from tenants.billing.usage.models import UsageDay, UsageMonth, UsageRecord, UsageTotal
from tenants.billing.usage.summary import UsageLine
from tenants.billing.usage.usage_query import Only, UsageQuery
from tenants.core.db.tenant_owned import TenantOwned
from tenants.core.months import Month

Place = tuple[datetime, UUID]
"""The position of a record in the list."""
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
        return cls(*(tuple(sorted({line.model for line in part})) for part in (lines, of_keys)))


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


def months_of_keys(since: Month, month: Month, keys: Collection[str], only: Only = _NOTHING) -> list[UsageLine]:
    """Return the sums per month of only these keys."""
    return _lines([_of_keys(rows, keys) for rows in _of_months(since, month, only)], "of_month", "key_id")


def days_of_keys(month: Month, keys: Collection[str], only: Only = _NOTHING) -> list[UsageLine]:
    """Return the sums per day of only these keys."""
    days = _narrowed(UsageDay, only).filter(day__gte=month.first, day__lt=month.after_last)
    return _lines([_of_keys(days, keys)], "day", "key_id")


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
    return Used(tuple(sorted({model for model, _ in found})), tuple(sorted({str(key or "") for _, key in found})))


def first_day_used(only: Only = _NOTHING) -> date | None:
    found: date | None = _narrowed(UsageDay, only).aggregate(Min("day"))["day__min"]
    return found


def _lines(parts: Sequence[Rows], day: str, by: str) -> list[UsageLine]:
    """Return the summed rows. Rows from several tables that have the same columns become one."""
    columns = (day, by, "meter", "currency", "livemode")
    found: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0] * len(_SUMS))
    for row in _together([rows.values_list(*columns).annotate(**_SUMS) for rows in parts]):
        # Postgres returns sums of big integers as decimals.
        found[row[:5]] = [total + int(more) for total, more in zip(found[row[:5]], row[5:], strict=True)]
    lines = [UsageLine(row[0], str(row[1] or ""), *row[2:], *numbers) for row, numbers in found.items()]
    return sorted(lines, key=lambda line: (line.day, line.model, line.meter, line.currency, not line.livemode))


def _together(parts: Sequence[Rows]) -> Rows:
    """Combine the parts in one statement. Two would count rows merged in between twice or not at all."""
    first, *others = parts
    return first.union(*others, all=True) if others else first


def _of_all_keys(only: Only, **of: object) -> Sequence[Rows]:
    """Return the sums by day, from the smallest table that can answer (tenants/billing/usage/sources.py)."""
    days = _narrowed(UsageDay, only).filter(**of)
    if only.keys:
        return [days]
    return [_narrowed(UsageTotal, only).filter(**of), days.filter(shard__lt=UsageDay.TOTALLED)]


def _of_months(since: Month, month: Month, only: Only) -> Sequence[Rows]:
    """Return the sums of the months and the day sums that are not in them yet. Each row has its month's first day."""
    days = _narrowed(UsageDay, only).filter(shard__lt=UsageDay.SETTLED, day__gte=since.first, day__lt=month.after_last)
    months = _narrowed(UsageMonth, only).filter(month__gte=since.first, month__lte=month.first)
    return [months.annotate(of_month=F("month")), days.annotate(of_month=_MONTH)]


def _of_keys(rows: Rows, keys: Collection[UUID | str | None]) -> Rows:
    """Filter by keys. None or an empty text stands for no key."""
    named = Q(key_id__in=[key for key in keys if key])
    return rows.filter(named if all(keys) else named | Q(key_id=None))


def _narrowed(table: type[TenantOwned], only: Only) -> Rows:
    rows: Rows = table.objects.all()
    if only.models:
        rows = rows.filter(model__in=only.models)
    if only.keys:
        rows = _of_keys(rows, only.keys)
    return rows if only.livemode is None else rows.filter(livemode=only.livemode)


def is_cached(record: UsageRecord) -> bool:
    """Return whether it was a cache hit. Records from before `cached` existed show it by their source."""
    return record.cached or record.source_kind == "cache"


def records(query: UsageQuery, *, limit: int, after: Place | None = None) -> Sequence[UsageRecord]:
    """Return the single records behind the sums, oldest first."""
    found = _narrowed(UsageRecord, query.only).filter(created_at__gte=query.start, created_at__lt=query.end)
    if after is not None:
        at, last = after
        # The index scan begins at `created_at__gte`. The other condition separates records of the same moment.
        found = found.filter(Q(created_at__gt=at) | Q(created_at=at, id__gt=last), created_at__gte=at)
    return list(found.order_by("created_at", "id")[:limit])
