"""Limits how many gRPC streams are open. gRPC buffers what has arrived on each, out of this program's sight."""

from collections import defaultdict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from tenants.core.asgi.threads import Overloaded

STREAMS, STREAMS_OF_ONE, FOR_FIRST = 64, 16, 16
"""The most streams in total, the most for one tenant, and the number reserved for tenants that have none."""


class StreamSlots:
    def __init__(
        self, most: int = STREAMS, max_of_one: int = STREAMS_OF_ONE, for_first: int = FOR_FIRST
    ) -> None:
        self._most = most
        self._max_of_one = max_of_one
        self._for_first = for_first
        self._taken: defaultdict[Hashable, int] = defaultdict(int)

    @contextmanager
    def one(self, tenant: Hashable) -> Iterator[None]:
        """Hold a slot for a stream. Raises Overloaded if there is none: a stream may last for hours, so no caller waits
        for one.
        """
        own = self._taken.get(tenant, 0)
        if own >= self._max_of_one:
            raise _full(f"You have {self._max_of_one} streams open")
        if sum(self._taken.values()) >= self._most - (self._for_first if own else 0):
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
