"""Results that are cached for a moment, so that a busy caller costs one look-up per moment and not one per request."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True)
class _Entry(Generic[V]):
    answer: "asyncio.Future[V]"
    requested_at_s: float


class Remembered(Generic[K, V]):
    """A cache of results. Their age counts from the request, so that none is older than its lifetime."""

    def __init__(
        self, *, lifetime_s: float, capacity: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._lifetime_s = lifetime_s
        self._capacity = capacity
        self._clock = clock
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

    def _fresh(self, key: K) -> _Entry[V] | None:
        entry = self._entries.get(key)
        return entry if entry and self._clock() < entry.requested_at_s + self._lifetime_s else None

    def _ask(self, key: K, look_up: Callable[[], Awaitable[V]]) -> _Entry[V]:
        entry = _Entry(asyncio.ensure_future(look_up()), self._clock())
        self._entries[key] = entry
        self._entries.move_to_end(key)
        while len(self._entries) > self._capacity:
            self._entries.popitem(last=False)
        entry.answer.add_done_callback(lambda answer: self._forget_failure(key, entry))
        return entry

    def _forget_failure(self, key: K, entry: _Entry[V]) -> None:
        failed = entry.answer.cancelled() or entry.answer.exception() is not None
        if failed and self._entries.get(key) is entry:
            del self._entries[key]
