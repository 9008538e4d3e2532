"""Chooses the queue of a synchronous call. Only where a tier allows several pools does anything have to be known of
them: a thread then looks twice a second at the workers and at what waits, for as long as there are such calls.
"""

import asyncio
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace

import redis
import structlog
from django.conf import settings

from inference.gateway.call_choice import call_pools_now
from inference.gateway.targets import Target
from inference.rpc import lane_demand
from inference.rpc.lines import CommandLine
from inference.tiers.binding import PoolNow, pool_for
from inference.tiers.routes import CallPool
from inference.workers.heartbeats import WorkerReport, live_workers_with_long_timeout

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 0.5
UNUSED_S = 10.0
"""The seconds without a choice after which the thread ends."""
FIRST_LOOK_S = 1.0
"""The longest time for which a call waits until something is known of the workers."""


async def pool_of_call(target: Target) -> CallPool:
    """Return the pool for a call, with its queue: without a tier, the own pool of the model."""
    pools = target.call_pools
    return pools[0] if len(pools) == 1 else await _watch.choose(pools)


class PoolWatch:
    """Keeps what the workers of the pools last reported. Event loops choose, and a thread looks.

    A call that comes before the first look waits for it, because its home may have no workers.
    """

    def __init__(self) -> None:
        self._workers: tuple[WorkerReport, ...] | None = None
        self._waiting: dict[str, int] = {}
        self._states: dict[CallPool, PoolNow] = {}
        """The pools as the last look found them. Each is put together for the first call that may go there."""
        self._sent: dict[str, int] = {}
        """The calls by queue since the last look, which it could not see."""
        self._used_s: dict[str, float] = {}
        self._lock = threading.Lock()
        self._looks = False
        self._first_look: Future[None] = Future()

    async def choose(self, pools: Sequence[CallPool]) -> CallPool:
        first_look = self._use(pools)
        if not first_look.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(FIRST_LOOK_S):
                    await asyncio.wrap_future(first_look)
        return self._chosen(pools)

    def _use(self, pools: Sequence[CallPool]) -> "Future[None]":
        """Keep the looks at these pools going, and return the first one."""
        now_s = time.monotonic()
        with self._lock:
            self._used_s.update(dict.fromkeys((pool.key for pool in pools), now_s))
            if not self._looks:
                self._looks, self._first_look = True, Future()
                # A call whose client leaves ends its own wait, and not the look.
                self._first_look.set_running_or_notify_cancel()
                threading.Thread(target=self._look_on, name="call-pools", daemon=True).start()
            return self._first_look

    def _chosen(self, pools: Sequence[CallPool]) -> CallPool:
        with self._lock:
            if self._workers is None:
                return pools[0]
            unknown = [pool for pool in pools if pool not in self._states]
            self._states.update(zip(unknown, call_pools_now(unknown, self._workers, self._waiting), strict=True))
            name = pool_for([self._state_now(pool) for pool in pools]).name
            chosen = next(pool for pool in pools if pool.name == name)
            self._sent[chosen.key] = self._sent.get(chosen.key, 0) + 1
            return chosen

    def _state_now(self, pool: CallPool) -> PoolNow:
        state, sent = self._states[pool], self._sent.get(pool.key)
        return replace(state, ahead=state.ahead + sent) if sent else state

    def _look_on(self) -> None:
        line = CommandLine(settings.MAAS_REDIS_URL)
        while self._is_used():
            try:
                self._look(line)
            except redis.RedisError as error:
                # Nothing is known of the workers meanwhile, so calls go to the home of their tier.
                log.warning("call_pools_not_read", error=str(error))
                with self._lock:
                    self._workers = None
            if not self._first_look.done():
                self._first_look.set_result(None)
            time.sleep(LOOK_EVERY_S)
        line.close()

    def _look(self, line: CommandLine) -> None:
        with self._lock:
            keys = sorted(self._used_s)
        workers = tuple(live_workers_with_long_timeout())
        waiting = {key: demand.waiting for key, demand in lane_demand(line, keys).items()}
        with self._lock:
            self._workers, self._waiting, self._states, self._sent = workers, waiting, {}, {}

    def _is_used(self) -> bool:
        with self._lock:
            oldest_s = time.monotonic() - UNUSED_S
            self._used_s = {key: used_s for key, used_s in self._used_s.items() if used_s > oldest_s}
            if not self._used_s:
                self._looks, self._workers = False, None
            return bool(self._used_s)


_watch = PoolWatch()
