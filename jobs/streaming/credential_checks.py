"""Checks regularly that the credentials of open connections are still valid, once for each credential."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

import structlog

from jobs.streaming.authorizer import Authorizer
from jobs.streaming.credentials import Credential
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
EVERY_S = 1.0


class CheckedCredential:
    """An open connection that was authorized."""

    __slots__ = ("_leave", "welcome")

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = leave
        self.welcome = True

    def show_out(self) -> None:
        self.welcome = False
        self._leave()


class CredentialChecks:
    """All open connections with their credentials, checked by one task while there are any."""

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer
        self._by_pass: defaultdict[Credential, set[CheckedCredential]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self._looks: set[asyncio.Task[None]] = set()

    @contextmanager
    def received(self, held: Credential, leave: Callable[[], None]) -> Iterator[CheckedCredential]:
        """Register a connection. `leave` is called once when the credential is no longer valid."""
        checked = CheckedCredential(leave)
        self._by_pass[held].add(checked)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())
        try:
            yield checked
        finally:
            self._by_pass[held].discard(checked)
            if not self._by_pass[held]:
                del self._by_pass[held]

    def look_again(self, tenant_id: UUID) -> None:
        """Check an account's connections at once after a change. Call this in the running event loop."""
        for held in tuple(self._by_pass):
            if held.identity.tenant_id == tenant_id:
                self._authorizer.forget(held)
                task = asyncio.get_running_loop().create_task(self._look(held))
                self._looks.add(task)
                task.add_done_callback(self._looks.discard)

    async def _look(self, held: Credential) -> None:
        try:
            if not await self._authorizer.still_good(held):
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

    def _show_out(self, held: Credential) -> None:
        for checked in tuple(self._by_pass.get(held, ())):
            checked.show_out()
