"""Find out whether a pool has no worker, for calls that got no answer, and when it will have one."""

import asyncio
from collections.abc import Callable

import redis

from inference.gateway.exchange import LONGEST_S
from inference.rpc.errors import NoWorker
from inference.scaling.next_worker import NextWorker
from inference.workers.heartbeats import live_workers
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
        self._known: Remembered[str, NextWorker | None] = Remembered(lifetime_s=LIFETIME_S, capacity=CAPACITY)

    async def of(self, pool: str) -> NoWorker | None:
        """Return the error of a call that no worker answered, or None if the pool has a worker."""
        found = await self._next_worker(pool)
        return None if found is None else NoWorker(found.message, retry_after_s=found.retry_after_s)

    async def too_far(self, pool: str) -> NoWorker | None:
        """Return the error of a call if its pool has no worker, and the next is further away than any call waits."""
        found = await self._next_worker(pool)
        return await self.of(pool) if found is not None and (found.left_s or 0.0) > LONGEST_S else None

    async def _next_worker(self, pool: str) -> NextWorker | None:
        return await self._known.get(pool, lambda: asyncio.to_thread(self._read, pool))

    def _read(self, pool: str) -> NextWorker | None:
        try:
            workers = live_workers()
        except redis.RedisError:
            return None  # That the workers are unknown is another error, which the call has already.
        if any(worker.takes_work and (not worker.pools or pool in worker.pools) for worker in workers):
            return None
        return self._look(pool)
