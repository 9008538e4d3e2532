"""How many pages the living workers can take at once."""

import time
from dataclasses import dataclass

import redis
import structlog
from django.conf import settings

from jobs.dispatch.workers import live_workers

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 2.0


@dataclass
class _Seen:
    slots: int = 0
    at_s: float = float("-inf")


_seen = _Seen()


def worker_slots() -> int:
    """Remembered for a moment; never less than one worker's, so that a first worker finds something to do.

    Two threads that look at once both ask: harmless, and cheaper than a lock on every acceptance.
    """
    if time.monotonic() - _seen.at_s > LOOK_EVERY_S:
        _seen.slots, _seen.at_s = _counted(), time.monotonic()
    return max(_seen.slots, settings.MAAS_WORKER_THREADS)


def _counted() -> int:
    try:
        return sum(worker.threads for worker in live_workers())
    except redis.RedisError as error:
        log.warning("workers_not_counted", error=str(error))
        return _seen.slots
