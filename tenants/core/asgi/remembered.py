"""Results that are cached for a moment, or until they change, so that a busy caller costs one look-up and not one per
request.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


LONGEST_S = 3600.0


class Feed(Protocol):
    """Knows what has changed."""

    def covers(self, requested_s: float) -> bool:
        """Return whether a result that was requested then would have been forgotten if it were no longer true."""


@dataclass(slots=True)
class _Entry(Generic[V]):
    answer: "asyncio.Future[V]"
    requested_at_s: float
    until_s: float = float("-inf")
    """The time until which the result holds unless a change is reported."""


class Remembered(Generic[K, V]):
    """A cache of results. Their age counts from the request, so that none is older than its lifetime.

    With a `feed`, a result is kept for as long as `lasts_s` says, unless it is forgotten because of a change. The
    lifetime then applies only while the feed does not cover the result.
    """

    def __init__(
        self,
        *,
        lifetime_s: float,
        capacity: int,
        clock: Callable[[], float] = time.monotonic,
        feed: Feed | None = None,
        lasts_s: Callable[[V], float] = lambda _: LONGEST_S,
    ) -> None:
        self._lifetime_s = lifetime_s
        self._capacity = capacity
        self._clock = clock
        self._feed = feed
        self._lasts_s = lasts_s
        self._entries: OrderedDict[K, _Entry[V]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    async def get(self, key: K, look_up: Callable[[], Awaitable[V]]) -> V:
        """Return the result. Calls during a look-up share its result. An error is not cached."""
        entry = self._fresh(key) or self._ask(key, look_up)
        return await asyncio.shield(entry.answer)

    def peek(self, key: K) -> V | None:
        """Return the result if it is cached and fresh enough, so that no task has to wait for it."""
        entry = self._fresh(key)
        if entry is None or not entry.answer.done():
            return None
        return None if entry.answer.cancelled() or entry.answer.exception() else entry.answer.result()

    def forget(self, key: K) -> None:
        """Remove a result. A running look-up is not shared either, because it may have begun too early."""
        self._entries.pop(key, None)

    def forget_where(self, changed: Callable[[K, V], bool]) -> None:
        """Remove the results for which `changed` returns true, and all look-ups in progress, which may be too old."""
        for key, entry in list(self._entries.items()):
            if not entry.answer.done() or entry.until_s == float("-inf") or changed(key, entry.answer.result()):
                del self._entries[key]

    def _fresh(self, key: K) -> _Entry[V] | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        now_s = self._clock()
        if now_s < entry.requested_at_s + self._lifetime_s:
            return entry
        if self._feed is None or now_s >= entry.until_s:
            return None
        return entry if self._feed.covers(entry.requested_at_s) else None

    def _ask(self, key: K, look_up: Callable[[], Awaitable[V]]) -> _Entry[V]:
        entry = _Entry(asyncio.ensure_future(look_up()), self._clock())
        self._entries[key] = entry
        self._entries.move_to_end(key)
        while len(self._entries) > self._capacity:
            self._entries.popitem(last=False)
        entry.answer.add_done_callback(lambda answer: self._end(key, entry))
        return entry

    def _end(self, key: K, entry: _Entry[V]) -> None:
        failed = entry.answer.cancelled() or entry.answer.exception() is not None
        if not failed:
            entry.until_s = entry.requested_at_s + min(LONGEST_S, self._lasts_s(entry.answer.result()))
        elif self._entries.get(key) is entry:
            del self._entries[key]
