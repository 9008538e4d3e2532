"""Reads and locks the month's pools and moves their units, in a transaction that has locked the wallet."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from django.db import connections

from tenants.billing.ledger.included_models import IncludedPool
from tenants.billing.ledger.included_units import Allotted, Remaining
from tenants.billing.ledger.plan_standing import granted_now
from tenants.billing.ledger.posting import TODAY, Source
from tenants.core.db.unit_of_work import current_alias
from tenants.core.ids import uuid7
from tenants.core.months import Month

_MONTH = "date_trunc('month', since AT TIME ZONE 'UTC')::date"
# The granted number never decreases, because units that were used stay used.
_GRANT = """
INSERT INTO tenants_includedpool AS pool (id, tenant_id, since, model, meter, granted, used, held)
VALUES (%(id)s, %(tenant)s, %(since)s, %(model)s, %(meter)s, %(granted)s, 0, 0)
ON CONFLICT (tenant_id, since, model, meter) DO UPDATE SET granted = excluded.granted
WHERE pool.granted < excluded.granted
"""
_FREE = f"""
SELECT id, model, meter, granted - used - held, {_MONTH} FROM tenants_includedpool
WHERE tenant_id = %(tenant)s AND since = %(since)s AND granted > used + held
ORDER BY model, meter FOR NO KEY UPDATE
"""  # noqa: S608  # made of constants alone
_OF_MONTH = f"""
SELECT id, model, meter, granted - used - held, {_MONTH} FROM tenants_includedpool
WHERE tenant_id = %(tenant)s AND since >= %(since)s AND since < %(until)s AND granted > used + held
ORDER BY since DESC, model, meter FOR NO KEY UPDATE
"""  # noqa: S608  # made of constants alone
_HOLD = """
WITH held AS (
    INSERT INTO tenants_includedhold (id, tenant_id, pool_id, source_kind, source_id, quantity)
    VALUES (%(id)s, %(tenant)s, %(pool)s, %(source_kind)s, %(source_id)s, %(quantity)s)
)
UPDATE tenants_includedpool SET held = held + %(quantity)s WHERE id = %(pool)s AND tenant_id = %(tenant)s
"""
_LET_GO = f"""
WITH locked AS MATERIALIZED (
    SELECT id FROM tenants_includedpool WHERE tenant_id = %(tenant)s AND id IN (
        SELECT pool_id FROM tenants_includedhold
        WHERE tenant_id = %(tenant)s AND source_kind = %(source_kind)s AND source_id = %(source_id)s
    ) ORDER BY model, meter FOR NO KEY UPDATE
), gone AS (
    DELETE FROM tenants_includedhold
    WHERE tenant_id = %(tenant)s AND source_kind = %(source_kind)s AND source_id = %(source_id)s
    RETURNING pool_id, quantity
)
UPDATE tenants_includedpool p SET held = p.held - gone.quantity FROM gone JOIN locked ON locked.id = gone.pool_id
WHERE p.id = gone.pool_id AND p.tenant_id = %(tenant)s
RETURNING p.id, p.model, p.meter, gone.quantity, {_MONTH}, true
"""  # noqa: S608  # made of constants alone
_USE = f"""
WITH used AS (
    INSERT INTO tenants_includeduse (id, tenant_id, pool_id, source_kind, source_id, month, day, model, cached, price,
                                     quantity, saved_micros, currency, created_at)
    VALUES (%(id)s, %(tenant)s, %(pool)s, %(source_kind)s, %(source_id)s, %(month)s,
            coalesce(%(day)s::date, {TODAY}), %(model)s, %(cached)s, %(price)s::jsonb,
            %(quantity)s, %(spared)s, %(currency)s, clock_timestamp())
)
UPDATE tenants_includedpool SET used = used + %(quantity)s WHERE id = %(pool)s AND tenant_id = %(tenant)s
"""  # noqa: S608  # made of constants alone


def free_rooms(tenant_id: UUID) -> list[Remaining]:
    """Return the units that are included now and neither used nor held. Return none without a plan."""
    granted = granted_now(tenant_id)
    if granted is None:
        return []
    with connections[current_alias()].cursor() as cursor:
        values: dict[str, Any] = {"tenant": tenant_id, "since": granted.since}
        for one in granted.included:
            more = {"id": uuid7(), "model": one.model, "meter": one.meter, "granted": one.quantity}
            cursor.execute(_GRANT, values | more)
        cursor.execute(_FREE, values)
        return [Remaining(*row) for row in cursor.fetchall()]


def rooms_of_month(tenant_id: UUID, month: date) -> list[Remaining]:
    """Return the units of a past month that were never used, those of a later plan of that month first."""
    since, until = (datetime.combine(day, time(), UTC) for day in (month, Month.of(month).after_last))
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_OF_MONTH, {"tenant": tenant_id, "since": since, "until": until})
        return [Remaining(*row) for row in cursor.fetchall()]


def rooms_seen(tenant_id: UUID) -> list[Remaining]:
    """Return the same as `free_rooms`, without a lock and without writing anything."""
    granted = granted_now(tenant_id)
    if granted is None:
        return []
    rows = IncludedPool.objects.filter(tenant_id=tenant_id, since=granted.since)
    gone = {(pool.model, pool.meter): pool.used + pool.held for pool in rows}
    return [
        Remaining(uuid7(), one.model, one.meter, max(0, one.quantity - gone.get((one.model, one.meter), 0)))
        for one in granted.included
    ]


def hold_units(source: Source, allotted: Iterable[Allotted]) -> None:
    quantities: Counter[UUID] = Counter()
    for one in allotted:
        quantities[one.room.pool_id] += one.quantity
    with connections[current_alias()].cursor() as cursor:
        for pool_id, quantity in quantities.items():
            cursor.execute(_HOLD, {**source.named, "id": uuid7(), "pool": pool_id, "quantity": quantity})


def let_go(source: Source) -> list[Remaining]:
    """Release and return the units that were held for the source. It may take them before any other work."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_LET_GO, source.named)
        return [Remaining(*row) for row in cursor.fetchall()]


def use_units(source: Source, allotted: Iterable[Allotted]) -> None:
    with connections[current_alias()].cursor() as cursor:
        for (pool_id, month, model, cached, price), (quantity, spared) in _together(allotted).items():
            values = {
                **source.named,
                "id": uuid7(),
                "pool": pool_id,
                "month": month,
                "model": model,
                "cached": cached,
                "price": price,
                "quantity": quantity,
                "spared": spared,
            }
            cursor.execute(_USE, values)


def _together(allotted: Iterable[Allotted]) -> dict[tuple[object, ...], tuple[int, int]]:
    """Sum up units and the amounts they save. Units of one pool that were partly held and partly free are one use."""
    found: dict[tuple[object, ...], tuple[int, int]] = {}
    for one in allotted:
        work = one.work
        key = (one.room.pool_id, work.month, work.model, work.cached, work.price.as_text)
        quantity, spared = found.get(key, (0, 0))
        found[key] = (quantity + one.quantity, spared + one.saved_micros)
    return found
