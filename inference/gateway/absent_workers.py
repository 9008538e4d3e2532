"""Find out whether the pools of a call have no worker, for calls that got no answer, and when one will have one."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from math import inf

import redis

from inference.gateway.exchange import LONGEST_S
from inference.rpc.errors import NoWorker
from inference.scaling.next_worker import NextWorker
from inference.tiers.routes import CallPool
from inference.workers.heartbeats import live_workers
from inference.workers.placement.peers import worker_of
from tenants.core.asgi.remembered import Remembered

LIFETIME_S = 1.0
CAPACITY = 1_000

Look = Callable[[str], NextWorker]
"""A function that says when a pool without workers will have one. It may wait for Redis, and raises nothing."""


class AbsentWorkers:
    """The pools without workers, for one event loop. Each pool is looked at once a second at most, and only for calls
    that no worker takes.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._known: Remembered[tuple[str, bool], NextWorker | None] = Remembered(
            lifetime_s=LIFETIME_S, capacity=CAPACITY
        )

    async def of(self, pools: Sequence[CallPool]) -> NoWorker | None:
        """Return the error of a call that no worker answered, or None if one of its pools has a worker."""
        absent = await self._all_absent(pools)
        if not absent:
            return None
        soonest = min(absent, key=lambda worker: inf if worker.left_s is None else worker.left_s)
        return NoWorker(soonest.message, retry_after_s=soonest.retry_after_s)

    async def too_far(self, pools: Sequence[CallPool]) -> NoWorker | None:
        """Return the error of a call if none of its pools has a worker, and the next one of its home, where it waits,
        is further away than any call waits.
        """
        absent = await self._all_absent(pools)
        return await self.of(pools) if absent and (absent[0].left_s or 0.0) > LONGEST_S else None

    async def _all_absent(self, pools: Sequence[CallPool]) -> list[NextWorker]:
        """Return the next worker of each pool, or nothing if one of them has a worker."""
        found = []
        for pool in pools:
            key = (pool.name, pool.dedicated)
            next_worker = await self._known.get(key, partial(asyncio.to_thread, self._read, pool))
            if next_worker is None:
                return []
            found.append(next_worker)
        return found

    def _read(self, pool: CallPool) -> NextWorker | None:
        try:
            workers = live_workers()
        except redis.RedisError:
            return None  # That the workers are unknown is another error, which the call has already.
        takes_work = (worker_of(worker) for worker in workers if worker.takes_work)
        if any(worker.serves(pool.name, dedicated=pool.dedicated) for worker in takes_work):
            return None
        return self._look(pool.name)
