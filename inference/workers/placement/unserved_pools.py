"""A warning about pools that have waiting work but no living worker. Nothing else would say why nothing happens."""

import time
from collections.abc import Callable, Mapping

import structlog

from inference.workers.placement.fleet import Snapshot

log = structlog.get_logger(__name__)
AFTER_S = 10.0
"""Seconds to wait before the warning, because a worker that restarts is away for a moment."""
SAID_EVERY_S = 60.0


class UnservedPools:
    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._clock = clock
        self._said_s: dict[str, float] = {}

    def look(self, snapshot: Snapshot) -> None:
        """Log unserved pools. One worker does this for all, once a minute for each pool."""
        if self._name != min(worker.name for worker in snapshot.workers):
            return
        now_s = self._clock()
        self._said_s = {pool: at_s for pool, at_s in self._said_s.items() if now_s - at_s < SAID_EVERY_S}
        for pool, models in unserved(snapshot).items():
            if pool not in self._said_s:
                self._said_s[pool] = now_s
                log.warning("pool_without_workers", pool=pool, models=models)


def unserved(snapshot: Snapshot) -> Mapping[str, list[str]]:
    """Return the waiting models by the pool that has no worker."""
    found: dict[str, list[str]] = {}
    if snapshot.alone or snapshot.returning:
        return found
    for model in snapshot.models:
        demand = snapshot.waiting_for(model.key)
        waits = demand.waiting > 0 and demand.oldest_s > AFTER_S
        if waits and not any(worker.is_open_to(model.pool, dedicated=model.dedicated) for worker in snapshot.workers):
            found.setdefault(model.pool, []).append(model.key)
    return found
