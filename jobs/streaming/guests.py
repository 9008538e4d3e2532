"""Checks regularly whether the credentials of open connections are still valid, once for all connections of a
credential.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

import structlog

from jobs.streaming.doorman import Doorman
from jobs.streaming.passes import Pass
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
EVERY_S = 1.0


class Guest:
    """An open connection that was authorized."""

    __slots__ = ("_leave", "welcome")

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = leave
        self.welcome = True

    def show_out(self) -> None:
        self.welcome = False
        self._leave()


class Guests:
    """All open connections with their credentials. One task checks all of them, and there is no task while there are
    none.
    """

    def __init__(self, doorman: Doorman) -> None:
        self._doorman = doorman
        self._by_pass: defaultdict[Pass, set[Guest]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self._looks: set[asyncio.Task[None]] = set()

    @contextmanager
    def received(self, held: Pass, leave: Callable[[], None]) -> Iterator[Guest]:
        """Register a connection. `leave` is called once when the credential is no longer valid."""
        guest = Guest(leave)
        self._by_pass[held].add(guest)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())
        try:
            yield guest
        finally:
            self._by_pass[held].discard(guest)
            if not self._by_pass[held]:
                del self._by_pass[held]

    def look_again(self, tenant_id: UUID) -> None:
        """Check the connections of that account at once, instead of at the next check, because something of the account
        has changed. Call this in the running event loop.
        """
        for held in tuple(self._by_pass):
            if held.identity.tenant_id == tenant_id:
                self._doorman.forget(held)
                task = asyncio.get_running_loop().create_task(self._look(held))
                self._looks.add(task)
                task.add_done_callback(self._looks.discard)

    async def _look(self, held: Pass) -> None:
        try:
            if not await self._doorman.still_good(held):
                self._show_out(held)
        except DomainError:
            pass  # If the database does not respond, no connection is closed.
        except Exception:
            log.exception("stream_credentials_not_checked")

    async def _watch(self) -> None:
        while self._by_pass:
            await asyncio.sleep(EVERY_S)
            for held in tuple(self._by_pass):
                await self._look(held)

    def _show_out(self, held: Pass) -> None:
        for guest in tuple(self._by_pass.get(held, ())):
            guest.show_out()
