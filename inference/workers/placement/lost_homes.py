"""Models whose home was a worker that is gone now."""

import time
from collections.abc import Callable, Iterable

from inference.workers.heartbeats import WorkerReport

KEPT_S = 30.0


class LostHomes:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held: dict[str, frozenset[str]] = {}
        self._lost: dict[str, float] = {}

    def among(self, living: Iterable[WorkerReport]) -> frozenset[str]:
        """Return the models whose home was lost within the last half minute, given the workers that are alive now."""
        now = {report.name: frozenset((*report.resident, *report.loading)) for report in living}
        at_s = self._clock()
        for name in self._held.keys() - now.keys():
            self._lost.update(dict.fromkeys(self._held[name], at_s))
        self._held = now
        self._lost = {key: since_s for key, since_s in self._lost.items() if at_s - since_s < KEPT_S}
        return frozenset(self._lost)
