"""Lends a few places to many tenants in turn: who asks for much waits behind themselves, and holds up nobody else."""

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field
from uuid import UUID

from tenants.core.asgi.threads import Overloaded

MOST_IN_A_ROW = 3


@dataclass(slots=True)
class _Line:
    """One tenant's, where the first to ask is the first served: of those that are ahead, and then of the others.

    Of the others one in a few is served all the same.
    """

    places: "deque[asyncio.Future[None]]" = field(default_factory=deque)
    ahead: int = 0
    """So many of them: they stand in front."""
    in_a_row: int = 0
    """So many of those that are ahead were served since one of the others was."""

    def stand(self, place: "asyncio.Future[None]", *, ahead: bool) -> None:
        self.places.insert(self.ahead if ahead else len(self.places), place)
        self.ahead += ahead

    def first(self) -> "asyncio.Future[None]":
        others = len(self.places) > self.ahead
        if self.ahead and (self.in_a_row < MOST_IN_A_ROW or not others):
            self.ahead -= 1
            self.in_a_row += 1
            return self.places.popleft()
        self.in_a_row = 0
        place = self.places[self.ahead]
        del self.places[self.ahead]
        return place

    def leave(self, place: "asyncio.Future[None]") -> None:
        self.ahead -= self.places.index(place) < self.ahead
        self.places.remove(place)


class Turns:
    """Within a tenant, those that are ahead come first; tenants take turns."""

    def __init__(self, places: int, *, most_each: int, most_waiting_each: int | None = None) -> None:
        self._free = places
        self._most_each = most_each
        self._most_waiting_each = most_waiting_each
        self._count = 0
        self._held: Counter[UUID] = Counter()
        self._waiting: dict[UUID, _Line] = {}

    @property
    def free(self) -> bool:
        return self._free > 0 and not self._waiting

    def free_for(self, tenant_id: UUID) -> bool:
        """Whoever waits then has as many places as one may have, and stands in nobody else's way."""
        return self._free > 0 and self._held[tenant_id] < self._most_each

    @property
    def waiting(self) -> int:
        return self._count

    def waiting_of(self, tenant_id: UUID, *, ahead: bool = False) -> int:
        """Behind whom one that comes now would stand."""
        line = self._waiting.get(tenant_id)
        if line is None:
            return 0
        return line.ahead if ahead else len(line.places)

    def wanted_by_others(self, tenant_id: UUID) -> bool:
        """Whether a place that this tenant gave back would be another's at once."""
        return any(one != tenant_id and self._held[one] < self._most_each for one in self._waiting)

    def tenants_waiting(self, tenant_id: UUID) -> int:
        """With this one."""
        return len(self._waiting) + (tenant_id not in self._waiting)

    async def take(self, tenant_id: UUID, *, ahead: bool = False) -> None:
        """Whoever returns from this gives back. Who is canceled has nothing."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = self.waiting_of(tenant_id)
        if self._most_waiting_each is not None and waiting >= self._most_waiting_each:
            raise Overloaded(
                f"{waiting} of your documents are waiting for their turn already. Try again.",
                extra={"retry_after_s": 1},
            )
        self._waiting.setdefault(tenant_id, _Line()).stand(place, ahead=ahead)
        self._count += 1
        self._lend()
        try:
            await place
        except asyncio.CancelledError:
            if place.cancelled():
                self._forget(tenant_id, place)
            else:
                self.give_back(tenant_id)
            raise

    def give_back(self, tenant_id: UUID) -> None:
        self._free += 1
        self._held[tenant_id] -= 1
        if not self._held[tenant_id]:
            del self._held[tenant_id]
        self._lend()

    def _lend(self) -> None:
        while self._free and (tenant_id := self._next()) is not None:
            line = self._waiting.pop(tenant_id)
            place = line.first()
            self._count -= 1
            if line.places:
                self._waiting[tenant_id] = line  # Behind the others.
            if not place.done():
                self._free -= 1
                self._held[tenant_id] += 1
                place.set_result(None)

    def _next(self) -> UUID | None:
        return next((one for one in self._waiting if self._held[one] < self._most_each), None)

    def _forget(self, tenant_id: UUID, place: "asyncio.Future[None]") -> None:
        line = self._waiting.get(tenant_id)
        if line is not None and place in line.places:
            line.leave(place)
            self._count -= 1
            if not line.places:
                del self._waiting[tenant_id]
