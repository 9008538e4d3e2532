"""One run for all who want the same at the same time, for as long as anybody still waits for it."""

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
    """One who waited has its value."""
    landed_s: float = math.inf

    def is_older(self, most_age_s: float) -> bool:
        return time.monotonic() - self.landed_s >= most_age_s


@dataclass(frozen=True, slots=True)
class Landed(Generic[V]):
    value: V
    led: bool
    """For this caller it ran: the first who has its value. Who began it may have left."""
    end: Callable[[], None]
    """For who led to say, once what came of it is kept or is not to be: until then others still join it."""


class Flights(Generic[V]):
    """Of one event loop. Who leaves ends nothing for the others; when the last one leaves, the work is cancelled."""

    def __init__(self) -> None:
        self._flights: dict[bytes, _Flight[V]] = {}

    def __len__(self) -> int:
        return len(self._flights)

    def is_under_way(self, key: bytes) -> bool:
        return key in self._flights

    async def join(
        self, key: bytes, work: Callable[[], Coroutine[Any, Any, V]], most_age_s: float = math.inf
    ) -> Landed[V]:
        """Raises what the work raises, for all alike. What has landed that long ago is joined no more."""
        flight = self._flights.get(key)
        if flight is None or flight.is_older(most_age_s):
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
                # Nobody may join what is about to end for nothing.
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
    """Only who led ends it."""
