"""Selects the table that answers a query: the one with the fewest rows that has the fields the query needs.

Ended days are in three sums (tenants/billing/usage/settling.py): by day and key, by day over all keys, and by month and
key. Rows that are not merged yet are only in the first, and are read from there in addition to either of the other two.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from tenants.billing.usage.models import UsageDay
from tenants.billing.usage.usage_query import UsageQuery
from tenants.core.months import Month

_DAY = timedelta(days=1)
_SUMS = (
    "tenant_id, {day}, model, meter, currency, livemode, {key}, cached, quantity, amount_micros, saved_micros, records"
)
_BY_DAY = _SUMS.format(day="day", key="key_id")
_OF_ALL = _SUMS.format(day="day", key="NULL::uuid AS key_id")
_BY_MONTH = _SUMS.format(day="month AS day", key="key_id")
_WITHIN_DAYS = "day >= %(start_day)s AND day < %(end_day)s"


@dataclass(frozen=True)
class Source:
    table: str
    within: str
    cached: str = "cached"
    records: str = "records"


RECORDS = Source(
    "tenants_usagerecord",
    "created_at >= %(start)s AND created_at < %(end)s",
    "(cached OR source_kind = 'cache')",
    "1",
)
DAYS = Source("tenants_usageday", _WITHIN_DAYS)
TOTALS = Source(
    f"""(
        SELECT {_OF_ALL} FROM tenants_usagetotal
        UNION ALL
        SELECT {_BY_DAY} FROM tenants_usageday WHERE shard < {UsageDay.TOTALLED}
    ) AS days""",  # noqa: S608  # made of constants alone
    _WITHIN_DAYS,
)
# This reads whole months, the rows of these that are in no month yet, and the days before and after them. Each part has
# its own dates, so that the planner sees how little of each is needed.
MONTHS = Source(
    f"""(
        SELECT {_BY_MONTH} FROM tenants_usagemonth WHERE month >= %(whole_from)s AND month < %(whole_to)s
        UNION ALL
        SELECT {_BY_DAY} FROM tenants_usageday
        WHERE shard < {UsageDay.SETTLED} AND day >= %(whole_from)s AND day < least(%(whole_to)s, %(end_day)s)
        UNION ALL
        SELECT {_BY_DAY} FROM tenants_usageday WHERE day >= %(start_day)s AND day < %(whole_from)s
        UNION ALL
        SELECT {_BY_DAY} FROM tenants_usageday WHERE day >= %(whole_to)s AND day < %(end_day)s
    ) AS months""",  # noqa: S608  # made of constants alone
    "true",
)


def source_of(query: UsageQuery) -> Source:
    if query.bucket == "hour":
        return RECORDS
    if not (query.only.keys or "key" in query.group_by):
        return TOTALS
    return MONTHS if query.bucket == "month" else DAYS


def whole_months(start: date, end: date, today: date) -> tuple[date, date]:
    """Return the first day of the first whole month in the range, and the day after the last one.

    The current month counts as whole if the range covers it up to tomorrow, because its sum holds only ended days. If
    there is no whole month, both values are `end`.
    """
    first = Month.of(start)
    since = first.first if start == first.first else first.after_last
    last = Month.of(end)
    until = last.after_last if end > max(today, last.first) and last >= Month.of(today) else last.first
    return (since, until) if since < until else (end, end)


def windows(start: datetime, end: datetime, first_days: int) -> list[tuple[datetime, datetime]]:
    """Split the time into parts that double in length, so that a caller reads few parts for the first rows."""
    found, days = [], first_days
    while start < end:
        until = min(end, start + days * _DAY)
        found.append((start, until))
        start, days = until, days * 2
    return found
