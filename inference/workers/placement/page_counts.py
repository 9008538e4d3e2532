"""The number of pages of each model that this worker has taken, and the time they take."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from inference.tiers.routes import MARK
from inference.workers.placement.relative_costs import RelativeCosts

WEIGHT = 0.2
"""The weight of the latest page in the average, so that about ten pages count."""


class QueueTally:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.hefts = RelativeCosts()
        self._clock = clock
        self._lock = threading.Lock()
        self._begun: dict[int, tuple[str, float]] = {}
        """The model key and start time by thread, which has one page. The same message may be here twice."""
        self._running: Counter[str] = Counter()
        self._done: Counter[str] = Counter()
        self._service_s: dict[str, float] = {}
        self._last_s: dict[str, float] = {}

    def begin(self, key: str) -> None:
        """Record that this thread begins a page. The same thread must end it."""
        with self._lock:
            self._begun[threading.get_ident()] = (key, self._begin(key, 1))

    def end(self, *, counts: bool = True) -> None:
        """Record that this thread ends its page. `counts` is False if the page was not worked on."""
        with self._lock:
            begun = self._begun.pop(threading.get_ident(), None)
            if begun is not None:
                self._end(*begun, self._clock(), counts=counts)

    def begun(self, key: str, pages: int) -> None:
        """Record that pages without threads of their own have begun."""
        with self._lock:
            self._begin(key, pages)

    def ended(self, since_s: Sequence[tuple[str, float]]) -> None:
        """Record that such pages, of these models and begun at these times, have ended."""
        with self._lock:
            now_s = self._clock()
            for key, began_s in since_s:
                self._end(key, began_s, now_s)

    def _begin(self, key: str, pages: int) -> float:
        now_s = self._last_s[key] = self._clock()
        self._running[key] += pages
        return now_s

    def _end(self, key: str, since_s: float, now_s: float, *, counts: bool = True) -> None:
        self._running[key] -= 1
        self._last_s[key] = now_s
        if counts:
            self._done[key] += 1
            usual_s = self._service_s.get(key, now_s - since_s)
            self._service_s[key] = usual_s + WEIGHT * (now_s - since_s - usual_s)

    @property
    def running(self) -> int:
        with self._lock:
            return self._running.total()

    def running_now(self) -> Mapping[str, int]:
        with self._lock:
            return {key: count for key, count in self._running.items() if count > 0}

    def done(self) -> Mapping[str, int]:
        """Return the pieces that were worked on to their end since this process started, by model."""
        with self._lock:
            return dict(self._done)

    def running_of(self, version_key: str) -> int:
        """Return the pages of a version, from all of its queues."""
        with self._lock:
            return sum(self._running[key] for key in self._queues_of(version_key))

    def service_s(self) -> Mapping[str, float]:
        with self._lock:
            return dict(self._service_s)

    def idle_s(self, version_key: str, *, since_s: float) -> float:
        """Return the seconds since the version's last page, or since `since_s` if it had none."""
        with self._lock:
            queues = self._queues_of(version_key)
            if any(self._running[key] > 0 for key in queues):
                return 0.0
            return self._clock() - max(since_s, *(self._last_s.get(key, since_s) for key in queues))

    def _queues_of(self, version_key: str) -> list[str]:
        return [version_key, *(key for key in self._last_s if key.startswith(f"{version_key}{MARK}"))]
