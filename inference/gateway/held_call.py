"""Hold the most that a call may cost until its cost is known."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from uuid import UUID

from tenants.billing.ledger.call_holds import CallHolds
from tenants.billing.ledger.headroom import Most
from tenants.billing.ledger.reservations import Reservation
from tenants.billing.metering.events import MeterEvent, with_covered
from tenants.identity.identity import Identity


class HeldCall:
    def __init__(self, call_holds: CallHolds | None) -> None:
        """Set up the hold. `call_holds` is None if calls are not paid for."""
        self._call_holds = call_holds
        self._reserved: Reservation | None = None

    async def reserve(
        self, identity: Identity, reservation_id: Callable[[], UUID], currency: str, most: Callable[[], Most]
    ) -> None:
        """Reserve the most that the call may cost, if the caller's spending has a limit. Raises InsufficientFunds."""
        if self._call_holds is not None and identity.bounded and identity.livemode:
            self._reserved = await self._call_holds.reserve(identity, reservation_id(), currency, most())

    def covered(self, uses: Sequence[MeterEvent]) -> list[MeterEvent]:
        """Return the uses with the included units that were reserved for this call."""
        if self._reserved is not None and any(self._reserved.units):
            return with_covered(uses, *self._reserved.units)
        return list(uses)

    def named(self, uses: Sequence[MeterEvent]) -> list[MeterEvent]:
        """Return the covered uses. The last one gets the id of the reservation, which is released when it is
        charged.
        """
        covered = self.covered(uses)
        if self._reserved is None or not covered:
            return covered
        return [*covered[:-1], replace(covered[-1], id=self._reserved.id)]

    def spend(self, uses: Sequence[MeterEvent]) -> None:
        """Reduce the reservation to the actual cost, which stays reserved until it is charged. The uses have been
        recorded, or will be.
        """
        if self._reserved is None:
            return
        covered = self.covered(uses)
        units = (sum(use.covered for use in covered), sum(use.covered_of_all for use in covered))
        self._let_go(sum(use.to_pay_micros for use in covered), units)

    def release(self) -> None:
        """Release the reservation of a call that costs nothing."""
        self._let_go(0)

    def _let_go(self, cost_micros: int, units: Sequence[int] = ()) -> None:
        reserved, self._reserved = self._reserved, None
        if reserved is not None and self._call_holds is not None:
            self._call_holds.settle(reserved, cost_micros, units)
