"""Ends what only waits for somebody else once the process is told to stop, so that it can end by itself."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tenants.errors import DomainError


class Restarting(DomainError):
    code = "restarting"

    def __init__(self) -> None:
        super().__init__(
            "The service is being restarted, and nothing was done. Send this again.",
            extra={"retry_after_s": 1},
        )


class Stop:
    def __init__(self) -> None:
        self.draining = False
        """What comes is served still, and no more is wanted."""
        self.told = False
        self._limits: set[asyncio.Timeout] = set()

    def drain(self) -> None:
        self.draining = True

    def tell(self) -> None:
        """Call it in the running loop."""
        self.draining = self.told = True
        now_s = asyncio.get_running_loop().time()
        for limit in self._limits:
            if not limit.expired():
                limit.reschedule(now_s)

    @asynccontextmanager
    async def limit(self, seconds: float | None = None) -> AsyncIterator[None]:
        """TimeoutError after so many seconds, or as soon as the process is told to stop."""
        async with asyncio.timeout(0 if self.told else seconds) as limit:
            self._limits.add(limit)
            try:
                yield
            finally:
                self._limits.discard(limit)
