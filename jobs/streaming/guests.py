"""Looks again and again whether what let somebody in is still good, once for all who came in by the same."""

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
    """Somebody who was let in."""

    __slots__ = ("_leave", "welcome")

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = leave
        self.welcome = True

    def show_out(self) -> None:
        self.welcome = False
        self._leave()


class Guests:
    """One task, however many there are, and none while there is nobody."""

    def __init__(self, doorman: Doorman) -> None:
        self._doorman = doorman
        self._by_pass: defaultdict[Pass, set[Guest]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self._looks: set[asyncio.Task[None]] = set()

    @contextmanager
    def received(self, held: Pass, leave: Callable[[], None]) -> Iterator[Guest]:
        """`leave` is called once what the guest holds is no longer good."""
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
        """At once, rather than by and by: something of that account has changed. Call it in the running loop."""
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
            pass  # A database that does not answer puts nobody out: it has nothing to say.
        except Exception:
            log.exception("guests_not_checked")

    async def _watch(self) -> None:
        while self._by_pass:
            await asyncio.sleep(EVERY_S)
            for held in tuple(self._by_pass):
                await self._look(held)

    def _show_out(self, held: Pass) -> None:
        for guest in tuple(self._by_pass.get(held, ())):
            guest.show_out()
