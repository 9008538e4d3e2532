"""The other workers, as far as Redis tells; when it was away, none is taken for dead before all could beat again."""

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
    """Models whose home was alive a moment ago and is not now."""
    alone: bool = False
    """Redis is away: nothing is known of the others."""
    returning: bool = False
    """It was away until a moment ago, and not everybody has been heard of since."""


class OtherWorkers:
    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._clock = clock
        self._lost = LostHomes(clock)
        self._known: frozenset[str] | None = None
        """Names, before Redis went away."""
        self._away_s: float | None = None
        """When it was last seen to be."""

    def look(self) -> Company:
        try:
            seen = live_workers_patiently()
        except redis.RedisError as error:
            log.warning("workers_not_seen", error=str(error))
            self._away_s = self._clock()
            return Company(alone=True)
        reports = tuple(report for report in seen if report.name != self._name)
        if len(reports) == len(seen):
            # It has lost our own beat, by a restart maybe that nobody noticed, and so the others' too.
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
