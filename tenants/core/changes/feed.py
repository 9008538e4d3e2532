"""Tells a process what has changed, so that it may remember everything else for as long as it likes."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import structlog

from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.changes.log import KEPT_S, Change, next_transaction, read_changes
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
READ_EVERY_S = 0.4
TRUSTED_S = 0.9
"""Seconds after the beginning of a reading for which remembered values count as true. What changes meanwhile holds
within a second, even if the database then stops responding.
"""
LONGEST_GAP_S = KEPT_S / 2

Listener = Callable[[Sequence[Change]], None]


class ChangeFeed:
    """The changes for one event loop. A notification by Redis only makes it read at once."""

    def __init__(self, threads: DatabaseThreads, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._threads = threads
        self._clock = clock
        self._listeners: list[Listener] = []
        self._snapshot: str | None = None
        self._since_s = float("inf")
        self._read_s = float("-inf")
        self._due = asyncio.Event()
        self._away = False
        self._task: asyncio.Task[None] | None = None

    def listen(self, listener: Listener) -> None:
        """Register a function that forgets what the changes name."""
        self._listeners.append(listener)

    def covers(self, requested_s: float) -> bool:
        """Return whether every change since this time is known, apart from those of the last second."""
        return requested_s >= self._since_s and self._clock() - self._read_s < TRUSTED_S

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._threads.close()

    def read_soon(self) -> None:
        self._due.set()

    async def read(self) -> None:
        """Read the changes and pass them on. Raises DomainError if the database does not respond."""
        began_s, before = self._clock(), self._snapshot
        if began_s - self._read_s > LONGEST_GAP_S:
            before = None
        reading = await self._threads.run(read_changes, before)
        if before is None or next_transaction(reading.snapshot) < next_transaction(before):
            self._since_s = self._clock()  # What was looked up earlier may be older than this snapshot.
        elif reading.changes:
            for listener in self._listeners:
                listener(reading.changes)
        self._snapshot, self._read_s = reading.snapshot, began_s

    async def _run(self) -> None:
        while True:
            began_s = self._clock()
            self._due.clear()
            try:
                await self.read()
                self._away = False
            except DomainError as error:
                if not self._away:
                    log.warning("changes_unavailable", error=error.detail)
                self._away = True
            except Exception:
                log.exception("changes_not_read")
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.05, READ_EVERY_S - (self._clock() - began_s))):
                    await self._due.wait()
