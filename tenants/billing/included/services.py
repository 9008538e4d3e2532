"""Takes a prepaid account's included units before its money: set aside at acceptance, used at the settlement.

Inside the caller's transaction. Pools are locked under the wallet, like budgets: whoever needs several wallets locks
all of them before the first pool.
"""

from collections.abc import Callable, Sequence
from uuid import UUID

from tenants.billing.included.allotting import Room, Work, allot
from tenants.billing.included.pools import free_rooms, hold_units, let_go, rooms_seen, use_units
from tenants.billing.ledger.journal import Source, open_wallet
from tenants.billing.ledger.models import Wallet

Works = Callable[[], Sequence[Work]]
"""Asked only where units are included and left."""


def hold_included(source: Source, works: Works) -> int:
    """So much of what the work costs need not be held, since its units are included and set aside."""
    if not _is_prepaid(source):
        return 0
    rooms = free_rooms(source.tenant_id)
    allotted = allot(works(), rooms) if rooms else []
    hold_units(source, allotted)
    return sum(one.spared_micros for one in allotted)


def use_included(source: Source, works: Works, *, costs: bool) -> int:
    """So much of what the work cost is not charged. What was held of pools and is not needed is free again."""
    prepaid = _is_prepaid(source)
    held = let_go(source)
    if not costs:
        return 0
    rooms = [*held, *(_less(held, free_rooms(source.tenant_id)) if prepaid else ())]
    allotted = allot(works(), rooms) if rooms else []
    use_units(source, allotted)
    return sum(one.spared_micros for one in allotted)


def could_be_included(tenant_id: UUID, works: Works) -> int:
    """The same as of a hold, and nothing is set aside."""
    rooms = rooms_seen(tenant_id)
    allotted = allot(works(), rooms) if rooms else []
    return sum(one.spared_micros for one in allotted)


def _less(held: Sequence[Room], free: Sequence[Room]) -> list[Room]:
    """What was let go a moment ago is among what is free, and is not there twice."""
    again = {room.pool_id: room.quantity for room in held}
    return [
        Room(room.pool_id, room.model, room.meter, room.quantity - again.get(room.pool_id, 0), room.month)
        for room in free
    ]


def _is_prepaid(source: Source) -> bool:
    """In this currency; the wallet is locked until the transaction ends."""
    open_wallet(source.tenant_id, source.currency)
    wallet = Wallet.objects.select_for_update(no_key=True).get(
        tenant_id=source.tenant_id, currency=source.currency
    )
    return wallet.kind == Wallet.Kind.PREPAID
