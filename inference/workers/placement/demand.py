"""The waiting work of each model, from all sources, and how long a model that no worker holds has been in demand."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from inference.workers.placement.fleet import Demand, added_up

GAP_S = 5.0
"""Seconds between two callers. After a longer gap the wait starts anew."""
DemandSource = Callable[[Collection[str]], Mapping[str, Demand]]
"""A function that gets the known models and returns waiting work by model key, also of others. It may raise."""


def together(sources: Iterable[Mapping[str, Demand]]) -> dict[str, Demand]:
    return added_up(item for source in sources for item in source.items())


@dataclass(frozen=True, slots=True)
class _Wait:
    since_s: float
    missing_since_s: float | None = None


class UnbrokenWaits:
    """The waits of models, by any callers: each may stop waiting soon, but together they may wait forever."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waits: dict[str, _Wait] = {}

    def of(self, demand: Mapping[str, Demand], held: Collection[str]) -> dict[str, Demand]:
        """Return `demand`, where the wait of a model that is not held counts from its first request without a break."""
        now_s = self._clock()
        requested = {key for key, demanded in demand.items() if demanded.waiting and key not in held}
        self._waits = {
            key: wait
            for key, before in self._waits.items()
            if key not in held and (wait := _at(now_s, before, requested=key in requested)) is not None
        }
        for key in requested:
            self._waits.setdefault(key, _Wait(now_s))
        return {
            key: replace(demanded, oldest_s=max(demanded.oldest_s, now_s - self._waits[key].since_s))
            if key in requested
            else demanded
            for key, demanded in demand.items()
        }


def _at(now_s: float, wait: _Wait, *, requested: bool) -> _Wait | None:
    """Return the wait as of now, or None if the request has been missing too long (a late look is no gap)."""
    if requested:
        return _Wait(wait.since_s)
    missing_since_s = now_s if wait.missing_since_s is None else wait.missing_since_s
    return _Wait(wait.since_s, missing_since_s) if now_s - missing_since_s <= GAP_S else None
