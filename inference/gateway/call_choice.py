"""Decides which pool serves a synchronous call, from what its workers last reported. Pure."""

from collections.abc import Iterable, Mapping

from inference.tiers.binding import PoolNow
from inference.tiers.routes import CallPool, version_of_queue
from inference.workers.heartbeats import WorkerReport
from inference.workers.placement.fleet import serves

UNKNOWN_LOAD_S = 5.0
"""The load time of a model that no worker has loaded."""
UNKNOWN_SERVICE_S = 0.1


def call_pools_now(
    pools: Iterable[CallPool], workers: Iterable[WorkerReport], waiting: Mapping[str, int]
) -> list[PoolNow]:
    """Return the state of each pool. `waiting` is the number of calls by queue that no worker has begun."""
    living = [worker for worker in workers if not worker.draining]
    return [_pool_now(pool, living, waiting.get(pool.key, 0)) for pool in pools]


def _pool_now(pool: CallPool, living: list[WorkerReport], waiting: int) -> PoolNow:
    version = version_of_queue(pool.key)
    workers = [worker for worker in living if serves(worker.pools, pool.name, dedicated=pool.dedicated)]
    having = [worker for worker in workers if pool.key in worker.serving or version in worker.resident]
    service_s = [worker.service_s[pool.key] for worker in having if pool.key in worker.service_s]
    service_s = service_s or [worker.service_s[version] for worker in living if version in worker.service_s]
    loads_s = [held.load_s for worker in living for held in worker.models if held.key == version and held.load_s > 0]
    return PoolNow(
        pool.name,
        workers=len(workers),
        slots=sum(worker.slots for worker in having) or max((worker.slots for worker in workers), default=1),
        loaded=bool(having),
        service_s=sum(service_s) / len(service_s) if service_s else UNKNOWN_SERVICE_S,
        ahead=waiting + sum(worker.running.get(pool.key, 0) for worker in having),
        load_s=max(loads_s, default=UNKNOWN_LOAD_S),
        move_s=pool.move_s,
    )
