"""Reads what is billable in a tenant's month, and what was billed already, as the operator, who sees every tenant."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from typing import Any, cast
from uuid import UUID

from django.db import connections
from django.db.models import Min, Sum

from tenants.billing.invoices.calculation import Amount, Item, Kind, MonthOfTime, Segment
from tenants.billing.invoices.models import ClosedMonth, Invoice, InvoiceLine
from tenants.billing.usage.models import UsageDay
from tenants.core.db.unit_of_work import current_alias
from tenants.core.months import Month
from tenants.plans.agreed import included_between
from tenants.plans.models import Subscription
from tenants.plans.month import Included, LineKey, Used
from tenants.plans.prices import Meter, Price
from tenants.plans.selectors import included_versions, subscriptions_of

# Months that were closed longer ago than this are not searched for late usage.
LATE_MONTHS = 3

_USED = """
SELECT (created_at AT TIME ZONE 'UTC')::date, model, cached, price, sum(quantity)::bigint, count(*)
FROM tenants_usagerecord
WHERE tenant_id = %(tenant)s AND created_at >= %(since)s AND created_at < %(until)s AND livemode
GROUP BY 1, 2, 3, 4
"""
# The ledger's charges by month of work, and the part of them that no balance could pay.
_CHARGED = """
WITH charges AS (
    SELECT id, currency, day, earlier FROM tenants_ledgertransaction
    WHERE tenant_id = %(tenant)s AND kind = 'charge' AND day >= %(since)s
      AND (day < %(until)s OR earlier IS NOT NULL)
), moved AS (
    SELECT c.currency, c.day, e.account, e.amount_micros AS micros
    FROM charges c JOIN tenants_ledgerentry e ON e.transaction_id = c.id
    UNION ALL
    SELECT c.currency, side.day, 'earlier', side.micros
    FROM charges c, jsonb_each_text(c.earlier) AS part (month, micros),
    LATERAL (VALUES ((part.month || '-01')::date, part.micros::bigint), (c.day, -part.micros::bigint))
        AS side (day, micros)
)
SELECT currency,
       coalesce(sum(micros) FILTER (WHERE account IN ('revenue', 'earlier')), 0)::bigint,
       coalesce(-sum(micros) FILTER (WHERE account = 'uncollected'), 0)::bigint,
       coalesce(sum(CASE account WHEN 'earlier' THEN micros ELSE -micros END)
                FILTER (WHERE account IN ('credit', 'held', 'earlier')), 0)::bigint
FROM moved WHERE day >= %(since)s AND day < %(until)s
GROUP BY currency
"""
_BILLED_REVENUE = """
SELECT t.currency, sum(e.amount_micros)::bigint
FROM tenants_ledgertransaction t JOIN tenants_ledgerentry e ON e.transaction_id = t.id AND e.account = 'revenue'
WHERE t.tenant_id = %(tenant)s AND t.kind = 'bill'
GROUP BY t.currency
"""
# The units that were not charged at use because they were included, by the pool that covered them.
_SETTLED = """
SELECT p.since, p.model, p.meter, u.model, u.cached, u.price::text, sum(u.quantity)::bigint
FROM tenants_includeduse u JOIN tenants_includedpool p ON p.tenant_id = u.tenant_id AND p.id = u.pool_id
WHERE u.tenant_id = %(tenant)s AND u.month = %(since)s
GROUP BY 1, 2, 3, 4, 5, 6
"""


@dataclass(frozen=True, slots=True)
class Charged:
    revenue_micros: int = 0
    uncollected_micros: int = 0
    """The part of the revenue that no balance could pay."""
    taken_micros: int = 0
    """The amount taken from the balance beyond the amount that was held."""

    @property
    def collected_micros(self) -> int:
        return self.revenue_micros - self.uncollected_micros


@dataclass(frozen=True, slots=True)
class Collected:
    segments: tuple[Segment, ...]
    records: int
    settled: Mapping[LineKey, int] = field(default_factory=dict)
    """Units that were included at use, from pools that belong to no segment."""


def at(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def month_of_time(month: Month, now: datetime) -> MonthOfTime:
    first, after = at(month.first), at(month.after_last)
    return MonthOfTime(first, after, max(first, min(after, now)))


def collect(tenant_id: UUID, time: MonthOfTime) -> Collected:
    segments: list[Segment] = []
    records = 0
    settled = _settled(tenant_id, time.first.date())
    for since, until, subscription in _held(tenant_id, time):
        used, many = _used(tenant_id, since, until)
        records += many
        segment = Segment(
            since,
            until,
            used,
            follows_a_plan=any(segment.plan_id for segment in segments),
            settled=settled.pools.pop(since, ()),
            settled_lines=settled.lines.pop(since, {}),
        )
        plan = subscription.plan if subscription else None
        if subscription and plan:
            segment = replace(
                segment,
                plan_id=plan.pk,
                currency=plan.currency,
                fee_micros=plan.monthly_fee_micros,
                trial_ends_at=subscription.trial_ends_at,
                included=included_between(included_versions(plan), since, until),
            )
        segments.append(segment)
    elsewhere: Counter[LineKey] = Counter()
    for lines in settled.lines.values():
        elsewhere.update(lines)
    return Collected(tuple(segments), records, elsewhere)


@dataclass(frozen=True, slots=True)
class _Settled:
    """The settled units by the start of their pool. One query reads both fields, from the same moment."""

    pools: dict[datetime, tuple[Included, ...]]
    lines: dict[datetime, dict[LineKey, int]]


def _settled(tenant_id: UUID, month: date) -> _Settled:
    pools: dict[datetime, Counter[tuple[str, Meter]]] = defaultdict(Counter)
    lines: dict[datetime, Counter[LineKey]] = defaultdict(Counter)
    for since, of, meter, model, cached, price, quantity in _rows(_SETTLED, tenant_id, since=month):
        pools[since.astimezone(UTC)][of, meter] += quantity
        lines[since.astimezone(UTC)][model, cached, _price(price)] += quantity
    return _Settled(
        {since: tuple(Included(*key, many) for key, many in found.items()) for since, found in pools.items()},
        {since: dict(found) for since, found in lines.items()},
    )


def _held(tenant_id: UUID, time: MonthOfTime) -> list[tuple[datetime, datetime, Subscription | None]]:
    """Return the tenant's plans, each with the time for which it was in force. The times have no gaps."""
    begun = [
        subscription for subscription in reversed(subscriptions_of(tenant_id)) if subscription.starts_at < time.until
    ]
    before = [subscription for subscription in begun if subscription.starts_at <= time.first]
    inside = [subscription for subscription in begun if subscription.starts_at > time.first]
    starts: list[tuple[datetime, Subscription | None]] = [
        (time.first, before[-1] if before else None),
        *((subscription.starts_at, subscription) for subscription in inside),
    ]
    ends = [*(start for start, _ in starts[1:]), time.until]
    return [(start, end, subscription) for (start, subscription), end in zip(starts, ends, strict=True) if start < end]


def _used(tenant_id: UUID, since: datetime, until: datetime) -> tuple[tuple[Used, ...], int]:
    rows = _rows(_USED, tenant_id, since=since, until=until)
    used = tuple(Used(day, model, quantity, _price(price), cached) for day, model, cached, price, quantity, _ in rows)
    return used, sum(row[-1] for row in rows)


def _price(found: str) -> Price:
    return Price.from_json(json.loads(found))


def billed_of(tenant_id: UUID, month: Month) -> dict[Item, Amount]:
    """Return the amounts on earlier invoices. Amounts that credit notes took back still count as billed."""
    found: dict[Item, Amount] = defaultdict(Amount)
    lines = InvoiceLine.objects.filter(
        tenant_id=tenant_id, month=month.first, invoice__kind=Invoice.Kind.INVOICE
    ).select_related("invoice")
    for line in lines:
        price = Price.from_json(line.price) if line.price else None
        of = (line.plan_id, line.model, line.cached, price)
        item = Item(cast(Kind, line.kind), line.month, line.invoice.currency, *of)
        found[item] += Amount(line.quantity, line.included, line.exact_micros)
    return dict(found)


def months_with_late_uses(tenant_id: UUID, before: Month) -> list[Month]:
    """Return closed months whose number of records has changed since they were billed."""
    closed = ClosedMonth.objects.filter(tenant_id=tenant_id, month__lt=before.first).order_by("-month")
    found = []
    for closed_month in closed[:LATE_MONTHS]:
        month = Month.of(closed_month.month)
        if records_of(tenant_id, month) != closed_month.records:
            found.append(month)
    return sorted(found)


def records_of(tenant_id: UUID, month: Month) -> int:
    days = UsageDay.objects.filter(tenant_id=tenant_id, day__gte=month.first, day__lt=month.after_last, livemode=True)
    return int(days.aggregate(sum=Sum("records"))["sum"] or 0)


def charged(tenant_id: UUID, since: date, until: date) -> Mapping[str, Charged]:
    """Return the charges by currency, for days of the ledger. The day `until` is not included."""
    return {row[0]: Charged(*row[1:]) for row in _rows(_CHARGED, tenant_id, since=since, until=until)}


def revenue_of_bills(tenant_id: UUID) -> Mapping[str, int]:
    return dict(_rows(_BILLED_REVENUE, tenant_id))


def invoiced_net(tenant_id: UUID, currency: str) -> int:
    """Return the net sum of all invoices so far. Credit notes are not subtracted."""
    mine = Invoice.objects.filter(tenant_id=tenant_id, currency=currency, kind=Invoice.Kind.INVOICE)
    return int(mine.aggregate(sum=Sum("net_micros"))["sum"] or 0)


def first_billed(tenant_id: UUID, month: Month) -> date:
    """Return the first month that is or was billed. Charges before it are never billed."""
    of_tenant = (kind.objects.filter(tenant_id=tenant_id) for kind in (ClosedMonth, Invoice))
    firsts: list[date | None] = [rows.aggregate(first=Min("month"))["first"] for rows in of_tenant]
    return min([month.first, *(first for first in firsts if first)])


def _rows(statement: str, tenant_id: UUID, **days: date) -> list[Any]:
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, {"tenant": tenant_id, **days})
        return list(cursor.fetchall())
