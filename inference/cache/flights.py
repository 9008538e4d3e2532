"""Share one run between all callers who want the same at the same time, as long as any of them still waits."""

import asyncio
import math
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

V = TypeVar("V")


@dataclass(eq=False, slots=True)
class _Flight(Generic[V]):
    task: "asyncio.Task[V]"
    waiting: int = 0
    taken: bool = False
    """True if a caller who waited has received the value."""
    landed_s: float = math.inf

    def is_older(self, max_age_s: float) -> bool:
        return time.monotonic() - self.landed_s >= max_age_s


@dataclass(frozen=True, slots=True)
class Landed(Generic[V]):
    value: V
    led: bool
    """True for the caller for whom it ran: the first who receives the value. The caller who began it may have left."""
    end: Callable[[], None]
    """A callback for the caller with `led`, to be called when the result has been cached or will not be. Until then,
    others can still join.
    """


class Flights(Generic[V]):
    """The shared runs of one event loop. A caller who leaves does not affect the others; when the last one leaves, the
    work is canceled.
    """

    def __init__(self) -> None:
        self._flights: dict[bytes, _Flight[V]] = {}

    def __len__(self) -> int:
        return len(self._flights)

    def is_under_way(self, key: bytes) -> bool:
        return key in self._flights

    async def join(
        self, key: bytes, work: Callable[[], Coroutine[Any, Any, V]], max_age_s: float = math.inf
    ) -> Landed[V]:
        """Join the run for this key, or begin it. Raises what the work raises, for all callers. A run that ended
        `max_age_s` ago or earlier is not joined.
        """
        flight = self._flights.get(key)
        if flight is None or flight.is_older(max_age_s):
            flight = self._flights[key] = _Flight(asyncio.create_task(work()))
            flight.task.add_done_callback(partial(self._landed, key, flight))
        flight.waiting += 1
        try:
            value = await asyncio.shield(flight.task)
            led, flight.taken = not flight.taken, True
            return Landed(value, led, partial(self._land, key, flight) if led else _nothing)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.taken:
                # A run that is about to be canceled must not be joined.
                self._land(key, flight)
                flight.task.cancel()

    def _landed(self, key: bytes, flight: _Flight[V], task: "asyncio.Task[V]") -> None:
        flight.landed_s = time.monotonic()
        if task.cancelled() or task.exception() is not None:
            self._land(key, flight)

    def _land(self, key: bytes, flight: _Flight[V]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


def _nothing() -> None:
    """Do nothing: only the caller with `led` ends the sharing."""
