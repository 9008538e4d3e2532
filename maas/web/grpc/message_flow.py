"""Decides whose messages are read and whose wait. gRPC buffers what has arrived of each message, out of this program's
sight.

A call that never sends its message looks like one whose message is still arriving. So a tenant with many messages being
read yields to a tenant with few, and each tenant has a share of those waiting. Silent calls are at the cost of their
own tenant.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tenants.core.errors import DomainError


@dataclass(frozen=True, slots=True)
class Bounds:
    reading: int = 32
    reading_of_one: int = 8
    for_first: int = 8
    """The number of slots reserved for tenants of which no message is being read."""
    waiting: int = 2048
    """The messages that may wait: half of the calls that the port accepts."""
    waiting_of_one: int = 1024
    undisturbed_s: float = 2.0
    """Seconds that a message may take before it yields to another."""

    def may_read(self, own: int, free: int) -> bool:
        """Say whether another message may be read. `own` is the number of that tenant's messages being read."""
        return own < self.reading_of_one and free > (self.for_first if own else 0)

    def gives_way(self, most: int, own: int) -> bool:
        """Say whether a tenant with `most` messages being read gives up a slot. A slot never goes back and forth."""
        return own == 0 or most > own + 1


class TooManyMessages(DomainError):
    code = "rate_limited"
    gate = "grpc_messages"

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}. Send it again.", extra={"retry_after_s": 1})


@dataclass(eq=False, slots=True)
class _Reader:
    tenant: Hashable
    limit: asyncio.Timeout
    turn: "asyncio.Future[None]"
    refusal: str = ""
    since_s: float = 0.0
    """The time by the loop's clock at which it got its slot."""

    def end(self, at_s: float, detail: str) -> None:
        self.refusal = detail
        self.limit.reschedule(at_s)


class _Crowd:
    """The readers of each tenant in the order in which they arrived."""

    def __init__(self) -> None:
        self.total = 0
        self.of_tenants: OrderedDict[Hashable, OrderedDict[_Reader, None]] = OrderedDict()

    def count(self, tenant: Hashable) -> int:
        return len(self.of_tenants.get(tenant, ()))

    def most(self) -> Hashable:
        return max(self.of_tenants, key=self.count)

    def first(self, tenant: Hashable) -> _Reader:
        return next(iter(self.of_tenants[tenant]))

    def last(self, tenant: Hashable) -> _Reader:
        return next(reversed(self.of_tenants[tenant]))

    def add(self, reader: _Reader) -> None:
        self.of_tenants.setdefault(reader.tenant, OrderedDict())[reader] = None
        self.total += 1

    def discard(self, reader: _Reader) -> None:
        """Remove a reader, and move its tenant to the end of the order."""
        own = self.of_tenants.get(reader.tenant)
        if own is None or reader not in own:
            return
        del own[reader]
        self.total -= 1
        self.of_tenants.move_to_end(reader.tenant)
        if not own:
            del self.of_tenants[reader.tenant]


class ReadSlots:
    def __init__(self, bounds: Bounds | None = None) -> None:
        self._bounds = bounds or Bounds()
        self._waiting = _Crowd()
        self._reading = _Crowd()
        self._hurried: _Reader | None = None
        """The reader that yields to the next, at once or in a moment."""

    @asynccontextmanager
    async def slot(self, tenant: Hashable) -> AsyncIterator[None]:
        """Hold a slot while a message arrives and is read. Raises TooManyMessages, possibly while reading."""
        async with asyncio.timeout(None) as limit:
            reader = _Reader(tenant, limit, asyncio.get_running_loop().create_future())
            try:
                self._wait(reader)
                await reader.turn
                yield
            except asyncio.CancelledError:
                if limit.expired():
                    raise TooManyMessages(reader.refusal) from None
                raise
            finally:
                self._leave(reader)

    def _wait(self, reader: _Reader) -> None:
        own = self._waiting.count(reader.tenant)
        if own >= self._bounds.waiting_of_one:
            raise TooManyMessages(f"{own} messages of yours wait to be read already")
        if self._waiting.total >= self._bounds.waiting:
            self._displace(own)
        self._waiting.add(reader)
        self._settle()

    def _displace(self, own: int) -> None:
        most = self._waiting.most()
        detail = f"{self._bounds.waiting} messages wait to be read already"
        if self._waiting.count(most) <= own + 1:
            raise TooManyMessages(detail)
        displaced = self._waiting.last(most)
        self._waiting.discard(displaced)
        displaced.end(0, f"{detail}, and most are yours")

    def _leave(self, reader: _Reader) -> None:
        self._waiting.discard(reader)
        self._reading.discard(reader)
        if reader is self._hurried:
            self._hurried = None
        self._settle()

    def _settle(self) -> None:
        """Give slots to the readers that may have one, and set a deadline for the reader that blocks the next."""
        while (reader := self._next()) is not None and self._may_read(reader):
            self._waiting.discard(reader)
            self._reading.add(reader)
            reader.since_s = asyncio.get_running_loop().time()
            if not reader.turn.done():
                reader.turn.set_result(None)
        self._hurry(None if reader is None else self._giving_way_to(reader))

    def _next(self) -> _Reader | None:
        """Return the first waiting reader of the tenant that has the fewest messages being read."""
        if not self._waiting.total:
            return None
        return self._waiting.first(min(self._waiting.of_tenants, key=self._reading.count))

    def _may_read(self, reader: _Reader) -> bool:
        free = self._bounds.reading - self._reading.total
        return self._bounds.may_read(self._reading.count(reader.tenant), free)

    def _giving_way_to(self, reader: _Reader) -> _Reader | None:
        own = self._reading.count(reader.tenant)
        most = self._reading.most()
        if own >= self._bounds.reading_of_one or not self._bounds.gives_way(self._reading.count(most), own):
            return None
        return self._reading.first(most)

    def _hurry(self, reader: _Reader | None) -> None:
        if reader is self._hurried or (self._hurried is not None and self._hurried.limit.expired()):
            return
        if self._hurried is not None:
            self._hurried.limit.reschedule(None)
        if reader is not None:
            undisturbed_s = self._bounds.undisturbed_s
            detail = f"Your message was not whole after {undisturbed_s:g} s, while others waited to be read"
            reader.end(reader.since_s + undisturbed_s, detail)
        self._hurried = reader
