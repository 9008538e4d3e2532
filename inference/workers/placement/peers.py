"""The other workers, as Redis reports them. After an outage, none counts as dead before all could report."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import redis
import structlog

from inference.workers.heartbeats import EXPIRES_S, WorkerReport, live_workers_patiently
from inference.workers.placement.lost_homes import LostHomes

log = structlog.get_logger(__name__)


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
        self._lost = LostHomes(clock)
        self._known: frozenset[str] | None = None
        """The names of the workers before Redis became unavailable."""
        self._away_s: float | None = None
        """The time at which Redis was last seen to be unavailable."""

    def look(self) -> Company:
        try:
            seen = live_workers_patiently()
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
        return Company(reports, lost=self._lost.among(reports))

    def _all_are_back(self, names: frozenset[str]) -> bool:
        if self._away_s is None or self._clock() - self._away_s >= EXPIRES_S:
            return True
        return self._known is not None and self._known <= names
