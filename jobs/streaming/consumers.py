"""The websocket at `/ws/v1/events`: a tenant's events as they happen, or one job's from any position on."""

import asyncio
import json
import math
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from uuid import UUID

import structlog
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from jobs.streaming.authorizer import Authorizer
from jobs.streaming.credential_checks import CredentialChecks
from jobs.streaming.credentials import Credential
from jobs.streaming.hub import Hub, Watch, moving
from jobs.streaming.open_connections import OpenConnections
from jobs.streaming.tails import JobTail, Reading, Tail, TenantTail
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import DomainError, InvalidRequest, NotFound

log = structlog.get_logger(__name__)
LONGEST_CHARS = 4096
EVERYTHING = "all"
HOW = 'Example: {"subscribe": "all"} or {"subscribe": "<job id>", "after": 0}.'


@dataclass(frozen=True)
class FollowJob:
    job_id: UUID
    after: int


@dataclass(frozen=True)
class FollowTenant:
    after: str | None
    """The cursor, or None for everything from now on."""


@dataclass(frozen=True)
class Ping:
    """The question whether the server is still there. A page in a browser has no other way to find out."""


def parse_message(text: str) -> FollowJob | FollowTenant | Ping:
    if len(text) > LONGEST_CHARS:
        raise InvalidRequest(f"This message is longer than {LONGEST_CHARS} characters. {HOW}")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidRequest(f"This message is not JSON. {HOW}") from None
    if content == {"ping": True}:
        return Ping()
    subject = content.get("subscribe") if isinstance(content, dict) else None
    if not isinstance(subject, str):
        raise InvalidRequest(f"This message has no subscription. {HOW}")
    after = content.get("after")
    return _tenant(after) if subject == EVERYTHING else _job(subject, after)


def _tenant(after: Any) -> FollowTenant:
    if after is not None and not isinstance(after, str):
        raise InvalidRequest('When you subscribe to "all", `after` must be a cursor from this socket.')
    return FollowTenant(after)


def _job(subject: str, after: Any) -> FollowJob:
    try:
        job_id = UUID(subject)
    except ValueError:
        # The message is the same as for a job that never existed or belongs to another tenant.
        raise NotFound(f"There is no job {subject[:60]!r}.") from None
    if after is None:
        return FollowJob(job_id, 0)
    if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after < 2**31:
        raise InvalidRequest(
            "When you subscribe to a job, `after` must be the sequence number of the last received event."
        )
    return FollowJob(job_id, after)


LEAVING = "maas.leaving"
"""The key in a socket's scope of what has to be undone when the socket is closed, for whatever reason."""
UNSETTLED_S = 0.025
LONGEST_UNSETTLED_S = 1.0
SLOW_CLIENT_S = 30.0
NOT_SIGNED_IN = 4401
TRY_AGAIN = 1013
INTERNAL_ERROR = 1011
RESTARTING = 1012


class EventsConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """The consumer of one events socket. The guard in front converts domain errors before the handshake."""

    def __init__(
        self,
        hub: Hub,
        authorizer: Authorizer,
        threads: DatabaseThreads,
        seats: OpenConnections,
        credential_checks: CredentialChecks,
    ) -> None:
        super().__init__()
        self._seats = seats
        self._hub = hub
        self._authorizer = authorizer
        self._credential_checks = credential_checks
        self._threads = threads
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._voice = asyncio.Lock()
        """The lock during a send. The server may send a message even after the sending task was canceled."""
        self._held: Credential

    async def connect(self) -> None:
        self._held = await self._authorizer.admit(self.scope)
        leaving: ExitStack = self.scope[LEAVING]
        leaving.enter_context(self._seats.seat(self._held.identity.tenant_id, "socket"))
        tail = TenantTail(self._held.identity, None)
        await self._threads.run(tail.read)
        await self.accept()
        await self.send_json({"type": "ready", "cursor": tail.place})
        await self._start("follow", self._follow(tail))
        leaving.enter_context(self._credential_checks.received(self._held, self._show_out))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any) -> None:
        try:
            wanted = parse_message(text_data or "")
            if isinstance(wanted, Ping):
                await self._say({"type": "pong"})
                return
            identity = self._held.identity
            tail: Tail
            if isinstance(wanted, FollowJob):
                tail = JobTail(identity, wanted.job_id, wanted.after)
            else:
                tail = TenantTail(identity, wanted.after)
            asked_for = tail.place
            first = await self._threads.run(tail.read)
        except DomainError as error:
            await self._say_error(error.code, error.detail, error.extra)
            return
        # This is where the events that follow begin, not where they end, because a client may be cut off in between.
        begins_at = tail.place if asked_for is None else asked_for
        await self._start("follow", self._answer_and_follow(tail, first, begins_at))

    async def disconnect(self, code: int) -> None:
        for task in self._tasks.values():
            task.cancel()

    async def _start(self, name: str, work: Any) -> None:
        """Start a task in place of the old one of that name. The old one stops before the new one sends anything."""
        old = self._tasks.pop(name, None)
        if old is not None:
            async with self._voice:
                old.cancel()
            with suppress(asyncio.CancelledError):
                await old
        self._tasks[name] = asyncio.get_running_loop().create_task(self._guarded(work))

    async def _guarded(self, work: Any) -> None:
        try:
            await work
        except DomainError as error:
            await self._end(error.code, error.detail, TRY_AGAIN)
        except TimeoutError:
            log.info("websocket_too_slow", tenant_id=str(self._held.identity.tenant_id))
            await self.close(TRY_AGAIN)
        except Exception:
            log.exception("websocket_failed", tenant_id=str(self._held.identity.tenant_id))
            await self._end("internal_error", "Something went wrong on our side. Connect again.", INTERNAL_ERROR)

    async def _answer_and_follow(self, tail: Tail, first: Reading, begins_at: str | int | None) -> None:
        subject = "all" if isinstance(tail, TenantTail) else str(tail.subject)
        await self._say({"type": "subscribed", "subscribe": subject, "cursor": begins_at})
        await self._follow(tail, first)

    async def _follow(self, tail: Tail, first: Reading | None = None) -> None:
        with self._hub.watch(tail.subject, tenant_id=self._held.identity.tenant_id) as changed:
            changed.wake()  # A change between the last read and the watch is read at once.
            reading, timeout_s = first or Reading(), UNSETTLED_S
            while True:
                await self._deliver(reading)
                timeout_s = min(timeout_s * 2, LONGEST_UNSETTLED_S) if reading.unsettled else UNSETTLED_S
                await self._pause(changed, reading, timeout_s)
                if self._hub.closed:
                    await self._send_elsewhere()
                    return
                reading = await self._threads.run(tail.read)
                changed.seen = tail.place or 0

    async def _deliver(self, reading: Reading) -> None:
        for delivery in reading.deliveries:
            await self._say({"type": "event", "cursor": delivery.cursor, "event": delivery.event})

    async def _pause(self, changed: Watch, reading: Reading, timeout_s: float) -> None:
        if not reading.more:
            await changed.wait(timeout_s if reading.unsettled else math.inf)

    async def _send_elsewhere(self) -> None:
        """Tell the client to reconnect after a pause. The pause differs by client, so that they do not all reconnect
        at once.
        """
        error = moving()
        with suppress(TimeoutError):
            await self._say({"type": "error", "code": error.code, "detail": error.detail, **error.extra})
        await self.close(RESTARTING)

    def _show_out(self) -> None:
        if "leave" not in self._tasks:
            detail = "Your credentials are no longer valid. Sign in again or use another key."
            ending = self._guarded(self._end("not_authenticated", detail, NOT_SIGNED_IN))
            self._tasks["leave"] = asyncio.get_running_loop().create_task(ending)

    async def _say(self, content: dict[str, Any]) -> None:
        async with self._voice, asyncio.timeout(SLOW_CLIENT_S):
            await self.send_json(content)

    async def _say_error(self, code: str, detail: str, more: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Send an error message. `more` holds what programs need to continue, such as `after`."""
        await self._say({**more, "type": "error", "code": code, "detail": detail})

    async def _end(self, code: str, detail: str, close_code: int) -> None:
        with suppress(TimeoutError):
            await self._say_error(code, detail)
        await self.close(close_code)
