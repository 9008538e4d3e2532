"""Sets aside what a caller's next call may cost, before it runs, so that no balance or budget is passed.

What Postgres says is remembered for a moment; what was charged since then, and what is under way in whatever process,
Redis knows. Without Redis a process goes by what it remembers, less what it has used itself.
"""

import asyncio
from dataclasses import dataclass
from uuid import UUID

import structlog

from tenants.asgi.remembered import Remembered
from tenants.asgi.threads import DatabaseThreads, Overloaded
from tenants.billing.ledger.errors import insufficient_funds
from tenants.billing.ledger.reserving.reservations import Reservation, Reservations, ReservationsAway, Told
from tenants.billing.ledger.reserving.rooms import Gone, Rooms, Verdict
from tenants.billing.ledger.standing import rooms_of
from tenants.context import unit_of_work
from tenants.errors import DatabaseAway
from tenants.identity import Identity

log = structlog.get_logger(__name__)
LIFETIME_S = 0.8
CAPACITY = 10_000
SURE_WITHIN_S = 1.0
"""For so long it is looked again before somebody is refused by a look that may be wrong."""
PAUSE_S = 0.02
_Asked = tuple[UUID, UUID | None, str]


@dataclass(slots=True)
class _Look:
    rooms: Rooms
    gone: Gone | None
    """None where Redis could not be asked."""
    used_micros: int = 0
    """By this process since."""


class Till:
    """One for each event loop."""

    def __init__(self, threads: DatabaseThreads, url: str) -> None:
        self._threads = threads
        self._reservations = Reservations(url)
        self._looks: Remembered[_Asked, _Look] = Remembered(lifetime_s=LIFETIME_S, capacity=CAPACITY)

    async def reserve(
        self, identity: Identity, reservation_id: UUID, currency: str, most_micros: int
    ) -> Reservation | None:
        """None where nothing bounds it. Raises InsufficientFunds; a database that cannot be asked refuses nobody."""
        if not (identity.bounded and identity.livemode and most_micros):
            return None
        wanted = Reservation(
            reservation_id, identity.tenant_id, identity.budget_key_id, currency, most_micros
        )
        try:
            return await self._reserve(wanted)
        except (DatabaseAway, Overloaded) as error:
            log.info("balance_not_known", tenant_id=str(identity.tenant_id), error=error.detail)
            return None
        except asyncio.CancelledError:
            self._reservations.settle(wanted, 0)
            raise

    def settle(self, reserved: Reservation, cost_micros: int) -> None:
        """What it came to is written down, and will be charged; 0 where nothing will be."""
        look = self._looks.peek(_asked(reserved))
        if look is not None:
            look.used_micros += cost_micros
        self._reservations.settle(reserved, cost_micros)

    async def close(self) -> None:
        await self._reservations.close()

    async def _reserve(self, wanted: Reservation) -> Reservation | None:
        asked, now_s = _asked(wanted), asyncio.get_running_loop().time
        until_s = now_s() + SURE_WITHIN_S
        old: _Look | None = None
        while True:
            look = self._looks.peek(asked) or await self._looks.get(asked, lambda: self._look(asked))
            if not look.rooms.bounded:
                return None
            told = await self._told(wanted, look)
            if told.verdict is Verdict.YES:
                return wanted
            if told.verdict is Verdict.NO or now_s() >= until_s:
                raise insufficient_funds(
                    currency=wanted.currency,
                    needed_micros=wanted.amount_micros,
                    spendable_micros=told.left_micros,
                )
            if old is not None:
                await asyncio.sleep(PAUSE_S)
            old = look
            if self._looks.peek(asked) is look:
                self._looks.forget(asked)

    async def _told(self, wanted: Reservation, look: _Look) -> Told:
        if look.gone is None:
            return _told_alone(wanted, look)
        try:
            return await self._reservations.reserve(wanted, look.rooms, look.gone)
        except ReservationsAway:
            return _told_alone(wanted, look)

    async def _look(self, asked: _Asked) -> _Look:
        """Redis first: what is charged in between is then counted twice, and not never."""
        try:
            gone = await self._reservations.seen(*asked)
        except ReservationsAway:
            gone = None
        return _Look(await self._threads.run(_rooms, *asked), gone)


def _asked(of: Reservation) -> _Asked:
    return of.tenant_id, of.key_id, of.currency


def _told_alone(wanted: Reservation, look: _Look) -> Told:
    least = look.rooms.least_micros
    left = None if least is None else least - look.used_micros
    if left is None or left >= wanted.amount_micros:
        return Told(Verdict.YES, 0)
    return Told(Verdict.NO, max(0, left))


def _rooms(tenant_id: UUID, key_id: UUID | None, currency: str) -> Rooms:
    with unit_of_work(tenant_id):
        return rooms_of(tenant_id, key_id, currency)
