"""Lends a few slots to many tenants in turn, so that a tenant that asks for much delays only itself."""

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field
from uuid import UUID

from tenants.core.asgi.threads import Overloaded

MAX_IN_A_ROW = 3


@dataclass(slots=True)
class _Queue:
    """The queue of one tenant: requests ahead come first, except for one of the others now and then."""

    places: "deque[asyncio.Future[None]]" = field(default_factory=deque)
    ahead: int = 0
    """The number of waiting requests that are ahead. They are at the front of the queue."""
    in_a_row: int = 0
    """The number of requests that were ahead and were served since the last of the others was served."""

    def stand(self, waiter: "asyncio.Future[None]", *, ahead: bool) -> None:
        self.places.insert(self.ahead if ahead else len(self.places), waiter)
        self.ahead += ahead

    def first(self) -> "asyncio.Future[None]":
        others = len(self.places) > self.ahead
        if self.ahead and (self.in_a_row < MAX_IN_A_ROW or not others):
            self.ahead -= 1
            self.in_a_row += 1
            return self.places.popleft()
        self.in_a_row = 0
        waiter = self.places[self.ahead]
        del self.places[self.ahead]
        return waiter

    def leave(self, waiter: "asyncio.Future[None]") -> None:
        self.ahead -= self.places.index(waiter) < self.ahead
        self.places.remove(waiter)


class FairSlots:
    """A limited number of slots. Tenants take turns. Within a tenant, requests that are `ahead` come first."""

    def __init__(self, places: int, *, max_each: int, max_waiting_each: int | None = None) -> None:
        self._free = places
        self._max_each = max_each
        self._max_waiting_each = max_waiting_each
        self._count = 0
        self._held: Counter[UUID] = Counter()
        self._waiting: dict[UUID, _Queue] = {}

    @property
    def free(self) -> bool:
        return self._free > 0 and not self._waiting

    def free_for(self, tenant_id: UUID) -> bool:
        """Return whether the tenant can have a slot at once, without delaying a tenant that may have another."""
        return self._free > 0 and self._held[tenant_id] < self._max_each

    @property
    def waiting(self) -> int:
        return self._count

    def waiting_of(self, tenant_id: UUID, *, ahead: bool = False) -> int:
        """Return the number of requests of the tenant that a new request would wait behind."""
        queue = self._waiting.get(tenant_id)
        if queue is None:
            return 0
        return queue.ahead if ahead else len(queue.places)

    def wanted_by_others(self, tenant_id: UUID) -> bool:
        """Return whether a slot that this tenant gave back would go to another tenant at once."""
        return any(other_id != tenant_id and self._held[other_id] < self._max_each for other_id in self._waiting)

    def tenants_waiting(self, tenant_id: UUID) -> int:
        """Return the number of tenants that wait, including this one."""
        return len(self._waiting) + (tenant_id not in self._waiting)

    async def take(self, tenant_id: UUID, *, ahead: bool = False) -> None:
        """Wait for a slot. A caller to which this returns must give the slot back. A canceled caller holds no slot."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = self.waiting_of(tenant_id)
        if self._max_waiting_each is not None and waiting >= self._max_waiting_each:
            raise Overloaded(
                f"{waiting} of your documents are already waiting to be processed. Try again.",
                gate="waiting_documents",
                extra={"retry_after_s": 1},
            )
        self._waiting.setdefault(tenant_id, _Queue()).stand(waiter, ahead=ahead)
        self._count += 1
        self._lend()
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                self._forget(tenant_id, waiter)
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
            queue = self._waiting.pop(tenant_id)
            waiter = queue.first()
            self._count -= 1
            if queue.places:
                self._waiting[tenant_id] = queue  # It goes behind the other tenants.
            if not waiter.done():
                self._free -= 1
                self._held[tenant_id] += 1
                waiter.set_result(None)

    def _next(self) -> UUID | None:
        return next((tenant_id for tenant_id in self._waiting if self._held[tenant_id] < self._max_each), None)

    def _forget(self, tenant_id: UUID, waiter: "asyncio.Future[None]") -> None:
        queue = self._waiting.get(tenant_id)
        if queue is not None and waiter in queue.places:
            queue.leave(waiter)
            self._count -= 1
            if not queue.places:
                del self._waiting[tenant_id]
