"""Takes the included units of a prepaid account before its money. They are held at acceptance and used at settlement.

It runs inside the caller's transaction. Pools are locked after the wallet, like budgets. Code that needs several
wallets locks all of them before the first pool.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from django.db import connections

from tenants.billing.ledger.committing import PoolWanted, TakenUnits
from tenants.billing.ledger.included_models import IncludedPool
from tenants.billing.ledger.included_units import Allotted, Remaining, Work, allot, left_in
from tenants.billing.ledger.models import Wallet
from tenants.billing.ledger.posting import TODAY, Source, first_of_this_month, locked_wallet
from tenants.billing.ledger.selectors import granted_now
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
        for included in granted.included:
            more = {
                "id": uuid7(),
                "model": included.model,
                "meter": included.meter,
                "granted": included.quantity,
            }
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
        Remaining(
            uuid7(),
            included.model,
            included.meter,
            max(0, included.quantity - gone.get((included.model, included.meter), 0)),
        )
        for included in granted.included
    ]


def hold_units(source: Source, allotted: Iterable[Allotted]) -> None:
    quantities: Counter[UUID] = Counter()
    for allotment in allotted:
        quantities[allotment.room.pool_id] += allotment.quantity
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
    """Sum up the units and the amounts that they save. Held and free units of the same pool are counted as one use."""
    found: dict[tuple[object, ...], tuple[int, int]] = {}
    for allotment in allotted:
        work = allotment.work
        key = (allotment.room.pool_id, work.month, work.model, work.cached, work.price.as_text)
        quantity, spared = found.get(key, (0, 0))
        found[key] = (quantity + allotment.quantity, spared + allotment.saved_micros)
    return found


Works = Callable[[], Sequence[Work]]
"""A function that returns the work. It is called only if it is needed."""


@dataclass(frozen=True, slots=True)
class HeldUnits:
    """Units that were held in the current transaction."""

    saved_micros: int
    """The part of the cost of the work that need not be held."""
    taken: TakenUnits


def hold_included(source: Source, works: Works) -> HeldUnits | None:
    """Hold included units for the work. An account that is billed by month holds none."""
    rooms = free_rooms(source.tenant_id) if _is_prepaid(source) else []
    if not rooms:
        return None
    to_do = works()
    taken = _taken(source, allot(to_do, rooms), rooms, anyhow=False)
    allotted = allot(to_do, _granted(rooms, taken))
    hold_units(source, allotted)
    taken.use(_by_pool(allotted))
    return HeldUnits(sum(allotment.saved_micros for allotment in allotted), taken)


def use_included(source: Source, works: Works, *, costs: bool) -> Sequence[Allotted]:
    """Use included units and return the uses, which are not charged. Held units that are not needed become free.

    Units that were held for this work are used first, even if other work waits for units. Free units are used next.
    """
    prepaid = _is_prepaid(source)
    held = let_go(source)
    if not costs:
        return ()
    free = _less(held, free_rooms(source.tenant_id)) if prepaid else []
    if not (held or prepaid):
        return ()
    done = works()
    covered = [work for work in done if work.pool is not None]
    late = _late_rooms(source, covered) if prepaid else []
    first = allot(covered, [*late, *free])
    free = left_in(free, first)
    others = [work for work in done if work.pool is None] if held or any(room.quantity for room in free) else []
    wanted = [allotment for allotment in allot(others, [*held, *free]) if not allotment.room.held]
    taken = _taken(source, wanted, free, anyhow=True)
    then = allot(others, [*held, *_granted(free, taken)])
    allotted = [*first, *then]
    use_units(source, allotted)
    taken.use(_by_pool(allotment for allotment in allotted if not allotment.room.held))
    return allotted


def _late_rooms(source: Source, covered: Sequence[Work]) -> list[Remaining]:
    """Return the units left in past months, for work that was done in those months."""
    this_month = first_of_this_month()
    months = {work.month for work in covered if work.month and work.month < this_month}
    return [room for month in sorted(months) for room in rooms_of_month(source.tenant_id, month)]


def _taken(source: Source, wanted: Iterable[Allotted], rooms: Sequence[Remaining], *, anyhow: bool) -> TakenUnits:
    quantities, left = _by_pool(wanted), {room.name: room.quantity for room in rooms}
    pools = [PoolWanted(name, left[name], quantity) for name, quantity in sorted(quantities.items())]
    return TakenUnits(source.tenant_id, pools, anyhow=anyhow)


def _granted(rooms: Iterable[Remaining], taken: TakenUnits) -> list[Remaining]:
    return [replace(room, quantity=taken.granted.get(room.name, 0)) for room in rooms]


def _by_pool(allotted: Iterable[Allotted]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for allotment in allotted:
        found[allotment.room.name] += allotment.quantity
    return found


def could_be_included(tenant_id: UUID, works: Works) -> int:
    """Return the amount that a hold would save through included units. Nothing is held."""
    rooms = rooms_seen(tenant_id)
    return sum(allotment.saved_micros for allotment in allot(works(), rooms)) if rooms else 0


def _less(held: Sequence[Remaining], free: Sequence[Remaining]) -> list[Remaining]:
    """Return the free units minus those released a moment ago, so that they are not counted twice."""
    again = {room.pool_id: room.quantity for room in held}
    return [replace(room, quantity=room.quantity - again.get(room.pool_id, 0)) for room in free]


def _is_prepaid(source: Source) -> bool:
    """Return whether the account is prepaid in this currency. The wallet stays locked until the transaction ends."""
    return locked_wallet(source.tenant_id, source.currency).kind == Wallet.Kind.PREPAID
