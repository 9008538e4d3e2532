"""How many pages the living workers can take at once, and of which models somebody takes them."""

import time
from dataclasses import dataclass

import redis
import structlog
from django.conf import settings

from inference.affinity.heartbeats import live_workers
from inference.prompt_redis import RedisLeftAlone

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class _Seen:
    slots: int = 0
    served: frozenset[str] = frozenset()
    at_s: float = float("-inf")


_last = _Seen()


def worker_slots() -> int:
    """Remembered for a moment; never less than one worker's, so that a first worker finds something to do."""
    return max(_seen().slots, settings.MAAS_WORKER_THREADS)


def is_served(model_key: str) -> bool:
    """As far as was known a moment ago. Of a worker that has died since, the others find out by themselves."""
    return model_key in _seen().served


def _seen() -> _Seen:
    """Two threads that look at once both ask: harmless, and cheaper than a lock on every acceptance."""
    global _last  # noqa: PLW0603
    if time.monotonic() - _last.at_s > LOOK_EVERY_S:
        _last = _look(_last)
    return _last


def _look(before: _Seen) -> _Seen:
    try:
        workers = live_workers()
    except RedisLeftAlone:
        return _Seen(before.slots, before.served, time.monotonic())
    except redis.RedisError as error:
        log.warning("workers_not_counted", error=str(error))
        return _Seen(before.slots, before.served, time.monotonic())
    served = frozenset(key for worker in workers for key in worker.serving)
    return _Seen(sum(worker.slots for worker in workers), served, time.monotonic())
