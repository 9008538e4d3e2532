"""Exact sums of usage, by time and by further fields, inside a unit of work."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.db import connections
from django.utils import timezone

from tenants.billing.usage.sources import source_of, whole_months, windows
from tenants.billing.usage.usage_query import Bucket, Group, UsageQuery
from tenants.core.db.unit_of_work import current_alias, current_tenant_id
from tenants.core.months import Month

FIRST_DAYS = 31
"""The first part of the time that is read if days are split further. A page of a list seldom reaches beyond it."""


@dataclass(frozen=True)
class Amount:
    currency: str
    amount_micros: int
    saved_micros: int
    """The cost of running the model minus the cost of the cache hits."""


@dataclass(frozen=True)
class Sum:
    """Quantities by meter and amounts by currency. Different meters or currencies are never added up."""

    quantities: Mapping[str, int]
    amounts: Sequence[Amount]
    records: int
    records_cached: int


@dataclass(frozen=True)
class Row:
    at: datetime
    """The start of the hour, day or month, or the start of the range if that is later."""
    of: Mapping[Group, str]
    """The values of the groups as text, in the order of the query. An empty key stands for no key."""
    sum: Sum


_BUCKETS: Mapping[Bucket, str] = {
    "hour": "date_trunc('hour', created_at AT TIME ZONE 'UTC')",
    "day": "day::timestamp",
    "month": "date_trunc('month', day::timestamp)",
}
_AS_TEXT: Mapping[Group, str] = {
    "model": 'model COLLATE "C"',
    "key": "coalesce(key_id::text, '')",
    "meter": 'meter COLLATE "C"',
    "livemode": "livemode::text",
    "cached": "{cached}::text",
}

# Each row of the result holds its meters and currencies inside itself, so that rows can be counted and cut.
_ALIKE = """
WITH alike AS (
    SELECT {groups}, {mode}meter AS of_meter, currency, sum(quantity) AS quantity,
           sum(amount_micros) AS amount, sum(saved_micros) AS saved, sum({records}) AS records,
           coalesce(sum({records}) FILTER (WHERE {cached}), 0) AS records_cached
    FROM {table}
    WHERE tenant_id = %(tenant)s AND {within}{filters}
    GROUP BY {numbers}, {of_mode}of_meter, currency
)
"""
_ROWS = """
SELECT {names}, {told} AS told FROM alike{after} GROUP BY {numbers} ORDER BY {numbers} LIMIT %(limit)s
"""
_WITH_TOTALS = """
SELECT *, NULL::boolean AS of_mode FROM ({rows}) AS page
UNION ALL
SELECT {nothing}, {told}, of_mode FROM (
    SELECT of_mode, of_meter, currency, sum(quantity) AS quantity, sum(amount) AS amount, sum(saved) AS saved,
           sum(records) AS records, sum(records_cached) AS records_cached
    FROM alike GROUP BY of_mode, of_meter, currency
) AS of_all GROUP BY of_mode
ORDER BY {numbers}
"""
_TOLD = """json_agg(json_build_array(of_meter, currency, quantity, amount, saved, records, records_cached)
                         ORDER BY of_meter, currency)::text"""
_SUMS = _ALIKE.replace("{mode}", "").replace("{of_mode}", "") + _ROWS
_BOTH = _ALIKE.replace("{mode}", "livemode AS of_mode, ").replace("{of_mode}", "of_mode, ")
_BOTH += _WITH_TOTALS.replace("{rows}", _ROWS)


def sums(query: UsageQuery, *, limit: int, after: tuple[datetime, Sequence[str]] | None = None) -> list[Row]:
    """Return rows ordered by time, then by the groups. `after` is the position of the last row of the previous page."""
    if query.bucket != "day" or not query.group_by:
        return _sums(query, limit, after)
    rows: list[Row] = []
    for start, end in windows(query.start if after is None else after[0], query.end, FIRST_DAYS):
        rows += _sums(replace(query, start=start, end=end), limit - len(rows), after)
        after = None
        if len(rows) >= limit:
            break
    return rows


def _sums(query: UsageQuery, limit: int, after: tuple[datetime, Sequence[str]] | None) -> list[Row]:
    values = {**_values(query), "limit": limit}
    names = ["at", *(f"g{position}" for position in range(len(query.group_by)))]
    groups = [_BUCKETS[query.bucket], *(_AS_TEXT[group] for group in query.group_by)]
    further = ""
    if after is not None:
        at, groups_after = after
        begun = at.replace(day=1) if query.bucket == "month" else at
        values |= {
            "after_at": begun.replace(tzinfo=None),
            **{f"after_{n}": value for n, value in enumerate(groups_after)},
        }
        if query.bucket != "month":
            values |= {"start": at, "start_day": at.date()}
        marks = ["%(after_at)s::timestamp", *(f"%(after_{n})s" for n in range(len(groups_after)))]
        further = f" WHERE ({', '.join(names)}) > ({', '.join(marks)})"
    return [_row(query, row) for row in _select(query, groups, names, further, values)]


def sums_and_totals(
    query: UsageQuery, *, limit: int, after: tuple[datetime, Sequence[str]] | None = None
) -> tuple[list[Row], dict[bool, Sum]]:
    """Return some rows, and the sums over all rows.

    Without groups, one query reads both. With many groups, splitting live and test usage costs as much as it saves.
    """
    if after is not None or query.group_by:
        return sums(query, limit=limit, after=after), totals(query)
    values = {**_values(query), "limit": limit}
    found = _select(query, [_BUCKETS[query.bucket]], ["at"], "", values, statement=_BOTH)
    rows = [_row(query, row[:-1]) for row in found if row[-1] is None]
    return rows, {row[-1]: _sum(row[-2]) for row in found if row[-1] is not None}


def totals(query: UsageQuery) -> dict[bool, Sum]:
    """Return the sums over the whole query, by livemode."""
    values = {**_values(query), "limit": 2}
    of_all = replace(query, group_by=(), bucket="hour" if query.bucket == "hour" else "month")
    return {row[0]: _sum(row[1]) for row in _select(of_all, ["livemode"], ["g0"], "", values)}


def _select(
    query: UsageQuery,
    groups: Sequence[str],
    names: Sequence[str],
    after: str,
    values: Mapping[str, Any],
    *,
    statement: str = _SUMS,
) -> list[tuple[Any, ...]]:
    source = source_of(query)
    written = statement.format(
        groups=", ".join(f"{group} AS {name}" for group, name in zip(groups, names, strict=True)),
        names=", ".join(names),
        numbers=", ".join(str(position) for position in range(1, len(names) + 1)),
        records=source.records,
        cached=source.cached,
        table=source.table,
        within=source.within,
        filters=_filters(query),
        nothing=", ".join("NULL" for _ in names),
        told=_TOLD,
        after=after,
    ).replace("{cached}", source.cached)
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(written, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _filters(query: UsageQuery) -> str:
    only, written = query.only, ""
    if only.models:
        written += " AND model = ANY(%(models)s)"
    if only.keys:
        written += " AND (key_id = ANY(%(keys)s::uuid[])" + (" OR key_id IS NULL)" if None in only.keys else ")")
    if only.livemode is not None:
        written += " AND livemode = %(livemode)s"
    return written


def _values(query: UsageQuery) -> dict[str, Any]:
    only = query.only
    whole_from, whole_to = whole_months(query.start.date(), query.end.date(), timezone.now().date())
    return {
        "tenant": current_tenant_id(),
        "start": query.start,
        "end": query.end,
        "start_day": query.start.date(),
        "end_day": query.end.date(),
        "whole_from": whole_from,
        "whole_to": whole_to,
        "models": list(only.models),
        "keys": [key for key in only.keys if key is not None],
        "livemode": only.livemode,
    }


def _row(query: UsageQuery, row: Sequence[Any]) -> Row:
    of = dict(zip(query.group_by, row[1:-1], strict=True))
    return Row(max(row[0].replace(tzinfo=UTC), query.start), of, _sum(row[-1]))


def _sum(written: str) -> Sum:
    quantities: dict[str, int] = {}
    amounts: dict[str, list[int]] = {}
    records = cached = 0
    for meter, currency, quantity, amount, saved, count, count_cached in json.loads(written):
        quantities[meter] = quantities.get(meter, 0) + quantity
        of_currency = amounts.setdefault(currency, [0, 0])
        of_currency[0] += amount
        of_currency[1] += saved
        records += count
        cached += count_cached
    return Sum(
        quantities,
        [Amount(currency, *both) for currency, both in sorted(amounts.items())],
        records,
        cached,
    )


def end_of(at: datetime, query: UsageQuery) -> datetime:
    """Return the end of the hour, day or month that began at `at`."""
    if query.bucket == "month":
        end = datetime.combine(Month.of(at.date()).after_last, time(), UTC)
    else:
        end = at + timedelta(hours=1 if query.bucket == "hour" else 24)
    return min(end, query.end)
