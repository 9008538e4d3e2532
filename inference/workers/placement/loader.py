"""A loader that brings a few models at a time into memory beside the work, and remembers failed loads."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from inference.core.errors import ModelFailed
from inference.tiers.routes import version_of_queue
from inference.workers.placement.fleet import Model, Reason
from inference.workers.placement.placement import COLD_AT_ONCE, Decision

log = structlog.get_logger(__name__)
FAILED_KEPT_S = 30.0
RESTS_S = 2.0
"""Seconds without a new try after a load for which there was no memory at that moment."""
UNASKED = frozenset({Reason.SPARE_MEMORY, Reason.WORKER_LOST})


class LoadTimes:
    """The last load of each model. The number of models bounds it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last: dict[str, tuple[float, float]] = {}

    @contextmanager
    def load(self, model_key: str) -> Iterator[None]:
        began_s = self._clock()
        try:
            yield
        finally:
            self._last[model_key] = (began_s, self._clock())

    def within(self, model_key: str, since_s: float, until_s: float) -> float:
        """Return the number of seconds of a wait in the queue of this key that the last load took."""
        began_s, ended_s = self._last.get(version_of_queue(model_key), (0.0, 0.0))
        return max(0.0, min(ended_s, until_s) - max(began_s, since_s))


class Loader:
    """A loader with a thread for each load. `bring` does the work; `changed` is called at start and end."""

    def __init__(
        self,
        bring: Callable[[Decision], None],
        changed: Callable[[], None],
        times: LoadTimes,
    ) -> None:
        self._times = times
        self._bring = bring
        self._changed = changed
        self._lock = threading.Lock()
        self._loading: dict[str, Decision] = {}
        self._failed: dict[str, float] = {}
        self._resting: dict[str, float] = {}

    @property
    def loading(self) -> frozenset[str]:
        with self._lock:
            return frozenset(self._loading)

    @property
    def leaving(self) -> frozenset[str]:
        """Return the models that are evicted for the models that load."""
        with self._lock:
            return frozenset(key for decision in self._loading.values() for key in decision.leave)

    @property
    def failed(self) -> frozenset[str]:
        return self._young(self._failed, FAILED_KEPT_S)

    @property
    def warming_up(self) -> bool:
        """Return whether a model is being loaded that no work waits for."""
        with self._lock:
            return any(decision.reason in UNASKED for decision in self._loading.values())

    def may_begin(self, model: Model) -> bool:
        resting = self._young(self._resting, RESTS_S)
        with self._lock:
            key = model.version_key
            return len(self._loading) < COLD_AT_ONCE and key not in self._loading and key not in resting

    def begin(self, decision: Decision) -> None:
        key = decision.model.version_key
        with self._lock:
            self._loading[key] = decision
        threading.Thread(target=self._run, args=[decision], name=f"load-{key}", daemon=True).start()
        self._changed()

    def _run(self, decision: Decision) -> None:
        key, started_s = decision.model.version_key, time.monotonic()
        try:
            with self._times.load(key):
                self._bring(decision)
        except ModelFailed as error:
            log.warning("model_not_loaded", model=key, code=error.code, detail=error.detail)
            self._note(self._resting if error.retryable else self._failed, key)
        except Exception:
            # A single broken model must not keep the others from being served.
            log.exception("model_not_loaded", model=key)
            self._note(self._failed, key)
        else:
            log.info(
                "model_loaded",
                model=key,
                reason=decision.reason.value,
                ms=round(1000 * (time.monotonic() - started_s)),
            )
        finally:
            with self._lock:
                del self._loading[key]
            self._changed()

    def _note(self, where: dict[str, float], key: str) -> None:
        with self._lock:
            where[key] = time.monotonic()

    def _young(self, noted: dict[str, float], kept_s: float) -> frozenset[str]:
        with self._lock:
            for key in [key for key, at_s in noted.items() if time.monotonic() - at_s > kept_s]:
                del noted[key]
            return frozenset(noted)
