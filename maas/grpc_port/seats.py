"""How many messages are read at once, and how many streams are open: gRPC keeps of each what has come, unseen by us."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from weakref import WeakValueDictionary

from tenants.asgi.threads import Overloaded

READERS, READERS_OF_ONE = 32, 8
"""In all, and for one tenant. A seat is held while its message is waited for, there or not; the others come in turn."""
STREAMS, STREAMS_OF_ONE = 64, 16


class ReadingSeats:
    def __init__(self, most: int = READERS, most_of_one: int = READERS_OF_ONE) -> None:
        self._all = asyncio.Semaphore(most)
        self._most_of_one = most_of_one
        self._own: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def one(self, tenant: Hashable) -> AsyncIterator[None]:
        own = self._own.get(tenant) or asyncio.Semaphore(self._most_of_one)
        self._own[tenant] = own
        async with own, self._all:
            yield


class StreamSeats:
    def __init__(self, most: int = STREAMS, most_of_one: int = STREAMS_OF_ONE) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._taken: defaultdict[Hashable, int] = defaultdict(int)

    @contextmanager
    def one(self, tenant: Hashable) -> Iterator[None]:
        """Raises where there is none: a stream may stay for hours, so nobody waits for one."""
        if self._taken.get(tenant, 0) >= self._most_of_one:
            raise _full(f"You have {self._most_of_one} streams open")
        if sum(self._taken.values()) >= self._most:
            raise _full("Too many streams are open")
        self._taken[tenant] += 1
        try:
            yield
        finally:
            self._taken[tenant] -= 1
            if not self._taken[tenant]:
                del self._taken[tenant]


def _full(what: str) -> Overloaded:
    return Overloaded(f"{what} already. Use those, or try again.", extra={"retry_after_s": 5})
