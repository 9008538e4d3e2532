"""Bound the bytes of bodies and answers that this process holds at once, in total and for each tenant."""

from collections import defaultdict
from collections.abc import Hashable
from typing import Self

from tenants.core.asgi.threads import Overloaded

MAX_BYTES = 512 << 20
MAX_OF_ONE = 4
"""The divisor for the share of a single tenant: each may take one part in this many."""


class Room:
    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._used_bytes = 0
        self._used_by: defaultdict[Hashable, int] = defaultdict(int)

    def share(self, tenant: Hashable = None) -> "Share":
        """Return a context that holds memory for a tenant and frees it at its end."""
        return Share(self, tenant)

    def take(self, count: int, tenant: Hashable) -> None:
        if self._used_by[tenant] + count > self._max_bytes // MAX_OF_ONE:
            raise _full("You send too much at once")
        if self._used_bytes + count > self._max_bytes:
            raise _full("Too much is being sent at once")
        self._used_bytes += count
        self._used_by[tenant] += count

    def free(self, count: int, tenant: Hashable) -> None:
        self._used_bytes -= count
        self._used_by[tenant] -= count
        if not self._used_by[tenant]:
            del self._used_by[tenant]


class Share:
    def __init__(self, room: Room, tenant: Hashable) -> None:
        self._room = room
        self._tenant = tenant
        self.bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._room.free(self.bytes, self._tenant)

    def grow(self, count: int) -> None:
        self._room.take(count, self._tenant)
        self.bytes += count


def _full(what: str) -> Overloaded:
    return Overloaded(f"{what}. Try again.", gate="body_memory", extra={"retry_after_s": 1})
