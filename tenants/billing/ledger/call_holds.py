"""Holds the most that a caller's next call may cost, before it runs, so that no balance or budget is exceeded.

A prepaid account's included units are used before its money, unit by unit.

Values from Postgres are cached for a moment. Redis knows the charges since then and the work in progress in all
processes. Without Redis, a process uses its cached values minus its own usage.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from uuid import UUID

import structlog

from tenants.billing.ledger.errors import insufficient_funds
from tenants.billing.ledger.headroom import Gone, Headrooms, Most, Units, Verdict
from tenants.billing.ledger.included import rooms_seen
from tenants.billing.ledger.reservations import Reservation, Reservations, ReservationsUnavailable, Reserved
from tenants.billing.ledger.selectors import rooms_of
from tenants.core.asgi.remembered import Remembered
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DatabaseUnavailable
from tenants.identity.identity import Identity
from tenants.plans.prices import Meter

log = structlog.get_logger(__name__)
LIFETIME_S = 0.8
CAPACITY = 10_000
SURE_WITHIN_S = 1.0
"""Seconds for which the values are read again before a call is refused because of a read that may be out of date."""
PAUSE_S = 0.02
_Asked = tuple[UUID, UUID | None, str]
_Pools = tuple[UUID, tuple[str, ...]]


@dataclass(slots=True)
class _Look:
    rooms: Headrooms
    gone: Gone | None
    """The charges counted before the read. None if Redis could not be reached."""
    used_micros: int = 0
    """The amount used by this process since the read."""


@dataclass(slots=True)
class _UnitsLook:
    left: tuple[int, ...]
    """The units left in each pool according to Postgres."""
    gone: tuple[int, ...] | None
    used: tuple[int, ...] = (0, 0)


_NO_UNITS = _UnitsLook((), ())


class CallHolds:
    """The call holds of one event loop."""

    def __init__(self, threads: DatabaseThreads, url: str) -> None:
        self._threads = threads
        self._reservations = Reservations(url)
        self._looks: Remembered[_Asked, _Look] = Remembered(lifetime_s=LIFETIME_S, capacity=CAPACITY)
        self._units: Remembered[_Pools, _UnitsLook] = Remembered(lifetime_s=LIFETIME_S, capacity=CAPACITY)

    async def reserve(self, identity: Identity, reservation_id: UUID, currency: str, most: Most) -> Reservation | None:
        """Reserve the highest cost that the call may have. Return None if the tenant's spending has no limit. Raises
        InsufficientFunds.

        If the database is unavailable, nobody is refused. Too many concurrent requests raise Overloaded, because
        otherwise a caller could get around its limit by flooding the database.
        """
        if not (identity.bounded and identity.livemode and most.micros):
            return None
        of = (reservation_id, identity.tenant_id, identity.budget_key_id, currency, most.micros)
        wanted = Reservation(*of, Units(most.units, most.pools))
        try:
            return await self._reserve(wanted, most)
        except DatabaseUnavailable as error:
            log.info("balance_unavailable", tenant_id=str(identity.tenant_id), error=error.detail)
            return None
        except asyncio.CancelledError:
            self._reservations.settle(wanted, 0)
            raise

    def settle(self, reserved: Reservation, cost_micros: int, units: Sequence[int] = ()) -> None:
        """Report the cost to charge, or 0 if there is none. `units` holds the units used of each pool."""
        if look := self._looks.peek(_asked(reserved)):
            look.used_micros += cost_micros
        if units and (of_units := self._units.peek(_pools(reserved))):
            of_units.used = tuple(map(sum, zip(of_units.used, units, strict=True)))
        self._reservations.settle(reserved, cost_micros, units)

    async def close(self) -> None:
        await self._reservations.close()

    async def _reserve(self, wanted: Reservation, most: Most) -> Reservation | None:
        request, now_s = _asked(wanted), asyncio.get_running_loop().time
        until_s = now_s() + SURE_WITHIN_S
        old: _Look | None = None
        while True:
            look = self._looks.peek(request) or await self._looks.get(request, lambda: self._look(request))
            if not look.rooms.bounded:
                return None
            units = _NO_UNITS
            if look.rooms.prepaid and most.units:
                pools = _pools(wanted)
                units = self._units.peek(pools) or await self._units.get(
                    pools, lambda: self._look_at_units(wanted, most)
                )
            answer = await self._told(wanted, look, units)
            if answer.verdict is Verdict.YES:
                return replace(wanted, units=answer.units)
            if answer.verdict is Verdict.NO or now_s() >= until_s:
                raise insufficient_funds(
                    currency=wanted.currency,
                    needed_micros=answer.needed_micros or wanted.amount_micros,
                    spendable_micros=answer.left_micros,
                )
            if old is not None:
                await asyncio.sleep(PAUSE_S)
            old = look
            if self._looks.peek(request) is look:
                self._looks.forget(request)
            if self._units.peek(_pools(wanted)) is units:
                self._units.forget(_pools(wanted))

    async def _told(self, wanted: Reservation, look: _Look, units: _UnitsLook) -> Reserved:
        if look.gone is None or units.gone is None:
            return _told_alone(wanted, look, units)
        gone = replace(look.gone, units=units.gone)
        try:
            return await self._reservations.reserve(wanted, look.rooms, gone, units.left)
        except ReservationsUnavailable:
            return _told_alone(wanted, look, units)

    async def _look_at_units(self, wanted: Reservation, most: Most) -> _UnitsLook:
        """Read the units. Redis is read first, for the same reason as in `_look`."""
        names = wanted.wants.pools
        gone = await self._seen(_asked(wanted), names)
        left = await self._threads.run(_units_left, wanted.tenant_id, most.meter, names)
        return _UnitsLook(left, gone.units if gone else None)

    async def _look(self, request: _Asked) -> _Look:
        """Read the headroom. Redis is read first, so that a charge in between is counted twice and not missed."""
        gone = await self._seen(request)
        return _Look(await self._threads.run(_rooms, *request), gone)

    async def _seen(self, request: _Asked, pools: Sequence[str] = ()) -> Gone | None:
        with suppress(ReservationsUnavailable):
            return await self._reservations.seen(*request, pools)
        return None


def _asked(of: Reservation) -> _Asked:
    return of.tenant_id, of.key_id, of.currency


def _pools(of: Reservation) -> _Pools:
    return of.tenant_id, of.wants.pools


def _told_alone(wanted: Reservation, look: _Look, units: _UnitsLook) -> Reserved:
    """Decide like the script in Redis, but only from the usage of this process."""
    most = wanted.wants.most
    parts: list[int] = []
    for there, used in zip(units.left, units.used, strict=False):
        parts.append(max(0, min(there - used, most - sum(parts))))
    needed = wanted.amount_micros
    if included := sum(parts):
        needed -= needed * included // most
    least = look.rooms.min_micros
    left = None if least is None else least - look.used_micros
    if not needed or left is None or left >= needed:
        return Reserved(Verdict.YES, 0, needed, tuple(parts))
    return Reserved(Verdict.NO, max(0, left), needed)


def _units_left(tenant_id: UUID, meter: Meter, names: tuple[str, ...]) -> tuple[int, ...]:
    with unit_of_work(tenant_id):
        left = {room.name: room.quantity for room in rooms_seen(tenant_id) if room.meter == meter}
    return tuple(left.get(name, 0) for name in names)


def _rooms(tenant_id: UUID, key_id: UUID | None, currency: str) -> Headrooms:
    with unit_of_work(tenant_id):
        return rooms_of(tenant_id, key_id, currency)
