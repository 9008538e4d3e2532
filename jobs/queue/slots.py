"""Counts the pages of a model that the living workers can take at once, the time they take, and who serves it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import redis
import structlog
from django.conf import settings

from inference.core.prompt_redis import RedisLeftAlone
from inference.tiers.routes import version_of_queue
from inference.workers.heartbeats import WorkerReport, live_workers
from inference.workers.placement.peers import worker_of
from inference.workers.placement.relative_costs import together

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class ModelFleet:
    """The workers that take pages of one model version."""

    slots: int
    """The number of slots. It is never less than that of one worker, so that a first worker finds something to do."""
    service_s: float = 0.0
    """The time that a page takes. It is 0 if no page has been done yet."""
    served: bool = False
    loading: bool = False
    """Set if a worker is loading the model into memory."""
    hefts: Mapping[str, float] = field(default_factory=dict)
    """The relative cost of a tenant's page, in usual pages, by tenant. It is 1 for a tenant that is missing."""


@dataclass(frozen=True, slots=True)
class _Seen:
    fleets: Mapping[str, ModelFleet] = field(default_factory=dict)
    workers: tuple[WorkerReport, ...] = ()
    at_s: float = float("-inf")


_last = _Seen()


def fleet_of(model_key: str) -> ModelFleet:
    """Return the workers of a model as they were a moment ago."""
    return _seen().fleets.get(model_key) or ModelFleet(settings.MAAS_WORKER_THREADS)


def living_workers() -> tuple[WorkerReport, ...]:
    return _seen().workers


def any_workers() -> bool:
    return bool(_seen().workers)


def workers_of_pool(pool: str, *, dedicated: bool = False) -> list[WorkerReport]:
    """Return the workers that took work of a pool a moment ago."""
    living = [report for report in _seen().workers if not report.draining]
    return [report for report in living if worker_of(report).serves(pool, dedicated=dedicated)]


def is_served(model_key: str) -> bool:
    """Return whether a worker served the model a moment ago. If it has died since, others find out."""
    return fleet_of(model_key).served


def _seen() -> _Seen:
    """Return the last look, or a new one. Two threads may look at once, which is cheaper than a lock."""
    global _last  # noqa: PLW0603
    if time.monotonic() - _last.at_s > LOOK_EVERY_S:
        _last = _look(_last)
    return _last


def _look(before: _Seen) -> _Seen:
    try:
        workers = live_workers()
    except redis.RedisError as error:
        if not isinstance(error, RedisLeftAlone):
            log.warning("workers_not_counted", error=str(error))
        return replace(before, at_s=time.monotonic())
    keys = {key for worker in workers for key in (*worker.serving, *worker.loading)}
    return _Seen({key: _fleet(key, workers) for key in keys}, tuple(workers), time.monotonic())


def _fleet(key: str, workers: Sequence[WorkerReport]) -> ModelFleet:
    serving = [worker for worker in workers if key in worker.serving]
    known_s = [worker.service_s[key] for worker in serving if key in worker.service_s]
    # The relative costs of tenants are those of the version, whatever queue its pages came from.
    version = version_of_queue(key)
    return ModelFleet(
        slots=sum(worker.slots for worker in serving) or settings.MAAS_WORKER_THREADS,
        service_s=sum(known_s) / len(known_s) if known_s else 0.0,
        served=bool(serving),
        loading=any(key in worker.loading for worker in workers),
        hefts=together([worker.hefts[version] for worker in serving if version in worker.hefts]),
    )
