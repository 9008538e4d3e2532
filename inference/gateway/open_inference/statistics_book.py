"""Count calls without delaying any of them. Each process writes its counts to Redis a few times a second."""

import asyncio
from contextlib import suppress

import redis
import structlog

from inference.gateway.open_inference.statistics import NONE, CallCounts
from inference.gateway.open_inference.statistics_store import add_counts, counts_of
from tenants.core.asgi.threads import BoundedThreads
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
EVERY_S = 0.3
MAX_WAITING = 10_000
"""The most pairs of tenant and model version that are counted while Redis is unavailable."""


class StatisticsBook:
    def __init__(self) -> None:
        self._grown: dict[tuple[str, str], CallCounts] = {}
        self._threads = BoundedThreads("statistics", 2, waiting=64)
        """Separate threads, because a Redis that hangs must not block other work that runs in threads."""
        self._telling: asyncio.Task[None] | None = None

    def add(self, tenant: str, key: str, counts: CallCounts) -> None:
        """Add the counts of a call. If the process ends, at most the counts of the last moment are lost."""
        if (tenant, key) in self._grown or len(self._grown) < MAX_WAITING:
            self._grown[tenant, key] = self._grown.get((tenant, key), NONE) + counts
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell_soon())

    async def of(self, tenant: str) -> dict[str, CallCounts]:
        """Return the tenant's counts by model version, including everything that this process has counted."""
        try:
            await self._tell()
            return await self._threads.run(counts_of, tenant)
        except redis.RedisError as error:
            raise DomainError(
                "The statistics cannot be read right now. Try again.",
                code="inference_unavailable",
                extra={"retry_after_s": 1},
            ) from error

    async def _tell_soon(self) -> None:
        while self._grown:
            await asyncio.sleep(EVERY_S)
            with suppress(redis.RedisError, DomainError):
                await self._tell()

    async def _tell(self) -> None:
        grown, self._grown = self._grown, {}
        if not grown:
            return
        try:
            await self._threads.run(add_counts, grown)
        except redis.RedisError as error:
            # May have been written all the same: better too few than twice as many.
            log.info("model_statistics_lost", versions=len(grown), error=str(error))
            raise
