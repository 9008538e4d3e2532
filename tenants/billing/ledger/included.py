"""Takes the included units of a prepaid account before its money. They are held at acceptance and used at settlement.

It runs inside the caller's transaction. Pools are locked after the wallet, like budgets. Code that needs several
wallets locks all of them before the first pool.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from tenants.billing.ledger.committing import PoolWanted, TakenUnits
from tenants.billing.ledger.included_pools import (
    free_rooms,
    hold_units,
    let_go,
    rooms_of_month,
    rooms_seen,
    use_units,
)
from tenants.billing.ledger.included_units import Allotted, Remaining, Work, allot, left_in
from tenants.billing.ledger.models import Wallet
from tenants.billing.ledger.posting import Source, first_of_this_month, locked_wallet

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
    return HeldUnits(sum(one.saved_micros for one in allotted), taken)


def use_included(source: Source, works: Works, *, costs: bool) -> Sequence[Allotted]:
    """Use included units and return the uses, which are not charged. Held units that are not needed become free.

    The units that were set aside for the work before it was done are used first, whatever other work waits for units.
    Free units come next.
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
    others = (
        [work for work in done if work.pool is None] if held or any(room.quantity for room in free) else []
    )
    wanted = [one for one in allot(others, [*held, *free]) if not one.room.held]
    taken = _taken(source, wanted, free, anyhow=True)
    then = allot(others, [*held, *_granted(free, taken)])
    allotted = [*first, *then]
    use_units(source, allotted)
    taken.use(_by_pool(one for one in allotted if not one.room.held))
    return allotted


def _late_rooms(source: Source, covered: Sequence[Work]) -> list[Remaining]:
    """Return the units left in past months, for work that was done in those months."""
    this_month = first_of_this_month()
    months = {work.month for work in covered if work.month and work.month < this_month}
    return [room for month in sorted(months) for room in rooms_of_month(source.tenant_id, month)]


def _taken(
    source: Source, wanted: Iterable[Allotted], rooms: Sequence[Remaining], *, anyhow: bool
) -> TakenUnits:
    quantities, left = _by_pool(wanted), {room.name: room.quantity for room in rooms}
    pools = [PoolWanted(name, left[name], quantity) for name, quantity in sorted(quantities.items())]
    return TakenUnits(source.tenant_id, pools, anyhow=anyhow)


def _granted(rooms: Iterable[Remaining], taken: TakenUnits) -> list[Remaining]:
    return [replace(room, quantity=taken.granted.get(room.name, 0)) for room in rooms]


def _by_pool(allotted: Iterable[Allotted]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for one in allotted:
        found[one.room.name] += one.quantity
    return found


def could_be_included(tenant_id: UUID, works: Works) -> int:
    """Return the amount that a hold would save through included units. Nothing is held."""
    rooms = rooms_seen(tenant_id)
    return sum(one.saved_micros for one in allot(works(), rooms)) if rooms else 0


def _less(held: Sequence[Remaining], free: Sequence[Remaining]) -> list[Remaining]:
    """Return the free units minus those released a moment ago, so that they are not counted twice."""
    again = {room.pool_id: room.quantity for room in held}
    return [replace(room, quantity=room.quantity - again.get(room.pool_id, 0)) for room in free]


def _is_prepaid(source: Source) -> bool:
    """Return whether the account is prepaid in this currency. The wallet stays locked until the transaction ends."""
    return locked_wallet(source.tenant_id, source.currency).kind == Wallet.Kind.PREPAID
