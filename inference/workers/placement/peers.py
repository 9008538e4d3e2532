"""The other workers, as Redis reports them. After an outage, none counts as dead before all could report."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import redis
import structlog

from inference.workers.heartbeats import EXPIRES_S, WorkerReport, live_workers_with_long_timeout
from inference.workers.placement.fleet import Held, Worker

log = structlog.get_logger(__name__)
LOST_KEPT_S = 30.0


@dataclass(frozen=True, slots=True)
class Company:
    reports: tuple[WorkerReport, ...] = ()
    lost: frozenset[str] = frozenset()
    """Models whose home was alive a moment ago and is not alive now."""
    alone: bool = False
    """Redis is unavailable, so nothing is known of the other workers."""
    returning: bool = False
    """Redis is available again, but not every worker has been seen since."""


class OtherWorkers:
    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._clock = clock
        self._held: dict[str, frozenset[str]] = {}
        self._lost: dict[str, float] = {}
        self._known: frozenset[str] | None = None
        """The names of the workers before Redis became unavailable."""
        self._away_s: float | None = None
        """The time at which Redis was last seen to be unavailable."""

    def look(self) -> Company:
        try:
            seen = live_workers_with_long_timeout()
        except redis.RedisError as error:
            log.warning("workers_not_read", error=str(error))
            self._away_s = self._clock()
            return Company(alone=True)
        reports = tuple(report for report in seen if report.name != self._name)
        if len(reports) == len(seen):
            # Redis has lost this worker's own heartbeat, perhaps by an unnoticed restart, and so also those of the
            # others.
            self._away_s = self._clock()
        names = frozenset(report.name for report in reports)
        if not self._all_are_back(names):
            return Company(reports, returning=True)
        self._away_s, self._known = None, names
        return Company(reports, lost=self._lost_homes(reports))

    def _lost_homes(self, living: Iterable[WorkerReport]) -> frozenset[str]:
        """Return the models whose home was lost within the last half minute."""
        now, at_s = (
            {worker.name: frozenset((*worker.resident, *worker.loading)) for worker in living},
            self._clock(),
        )
        for name in self._held.keys() - now.keys():
            self._lost.update(dict.fromkeys(self._held[name], at_s))
        self._held = now
        self._lost = {key: since_s for key, since_s in self._lost.items() if at_s - since_s < LOST_KEPT_S}
        return frozenset(self._lost)

    def _all_are_back(self, names: frozenset[str]) -> bool:
        if self._away_s is None or self._clock() - self._away_s >= EXPIRES_S:
            return True
        return self._known is not None and self._known <= names


def worker_of(report: WorkerReport) -> Worker:
    """Return the worker as the choice of homes needs it."""
    return Worker(
        name=report.name,
        budget_bytes=report.budget_bytes,
        free_bytes=report.free_bytes,
        files=report.files,
        held={
            model.key: Held(model.held_s, model.idle_s, model.load_s)
            for model in report.models
            if model.key not in report.leaving
        },
        loading=frozenset(report.loading),
        failed=frozenset(report.failed),
        pools=frozenset(report.pools),
        slots=report.threads,
        outstanding=report.outstanding,
        service_s=report.service_s,
        draining=report.draining,
        silent_s=report.silent_s,
        stuck=report.stuck,
    )
