"""Serves streams of requests. Each message is its own call, and the responses are in the order of the messages."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import grpc.aio
import structlog
from django.conf import settings

from inference.gateway.gateway import GRPC_PREFIX
from jobs.streaming.credential_checks import CredentialChecks
from jobs.streaming.credentials import Credential
from maas.web.grpc.calls import (
    CLIENT_GONE,
    LONGEST_WRITE_S,
    Answer,
    AnswerInTurn,
    abort,
    as_body,
    next_message,
    once,
    scope_of,
    tenant_of,
)
from tenants.api.authentication import IDENTITY
from tenants.core.asgi.client_ip_limit import address_of_scope
from tenants.core.asgi.protocol import App, ClientGone, Message, Receive, Scope
from tenants.core.asgi.stopping import Restarting, Stop
from tenants.core.asgi.threads import Overloaded
from tenants.core.errors import DomainError, InvalidKey

STREAMS, STREAMS_OF_ONE, FOR_FIRST = 64, 16, 16
"""The most streams in total, the most for one tenant, and the number reserved for tenants that have none."""


class StreamSlots:
    def __init__(self, most: int = STREAMS, max_of_one: int = STREAMS_OF_ONE, for_first: int = FOR_FIRST) -> None:
        self._most = most
        self._max_of_one = max_of_one
        self._for_first = for_first
        self._taken: defaultdict[Hashable, int] = defaultdict(int)

    @contextmanager
    def slot(self, tenant: Hashable) -> Iterator[None]:
        """Hold a slot for a stream. Raises Overloaded if there is none, because a stream may last for hours."""
        own = self._taken.get(tenant, 0)
        if own >= self._max_of_one:
            raise _full(f"You have {self._max_of_one} streams open")
        if sum(self._taken.values()) >= self._most - (self._for_first if own else 0):
            raise _full("Too many streams are open")
        self._taken[tenant] += 1
        try:
            yield
        finally:
            self._taken[tenant] -= 1
            if not self._taken[tenant]:
                del self._taken[tenant]


def _full(what: str) -> Overloaded:
    return Overloaded(f"{what} already. Use those, or try again.", gate="grpc_streams", extra={"retry_after_s": 5})


log = structlog.get_logger(__name__)
AT_ONCE = 8
"""Messages of one stream that are in progress, or that have a response that was not read yet."""
IDLE_S = 300.0
OPENED, ASKED = f"{GRPC_PREFIX}ModelStreamInfer", f"{GRPC_PREFIX}ModelInfer"


class StreamIdle(DomainError):
    code = "request_timeout"


class Streams:
    def __init__(self, app: App, stop: Stop, credential_checks: CredentialChecks, *, idle_s: float = IDLE_S) -> None:
        """Set up streams. `idle_s` is the time that a stream may be without a message."""
        self._app = app
        self._stop = stop
        self._credential_checks = credential_checks
        self._idle_s = idle_s
        self._seats = StreamSlots()

    async def __call__(self, _messages: Any, context: Any) -> None:
        """Serve a stream. The key is checked before the first message is read, for each message, and in between."""
        scope = scope_of(OPENED, context.invocation_metadata(), context.peer(), has_message=False)
        opened = Answer()
        await self._app(scope, once(_nothing), opened)
        await opened.end(context)
        try:
            with self._seats.slot(tenant_of(scope)):
                async with self._welcome(scope):
                    await self._serve(context)
        except DomainError as refused:
            await abort(context, refused.code, refused.detail, _retry_after(refused))

    @asynccontextmanager
    async def _welcome(self, scope: Scope) -> AsyncIterator[None]:
        """Run the body, and end it when the key is no longer valid."""
        address = address_of_scope(scope, settings.MAAS_PROXIES)
        held = Credential(scope[IDENTITY], needs="jobs:write", address=address)
        try:
            async with asyncio.timeout(None) as stay:
                with self._credential_checks.received(held, _ending(stay)):
                    yield
        except TimeoutError:
            if not stay.expired():
                raise
            raise InvalidKey(
                "The key of this stream was revoked, has expired, or may run models or come from there no more. Open "
                "another with a key that works."
            ) from None

    async def _serve(self, context: Any) -> None:
        over: DomainError | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                over = await self._read(context, tasks)
        except* ClientGone:
            log.info("client_disconnected", path=OPENED)
            over = DomainError(f"An answer was not taken within {LONGEST_WRITE_S:g} s.", code=CLIENT_GONE)
        if over is not None:
            raise over

    async def _read(self, context: Any, tasks: asyncio.TaskGroup) -> DomainError | None:
        """Read messages. Return the reason why no more is read, or None at the end of the stream."""
        places = asyncio.Semaphore(AT_ONCE)
        before = asyncio.Event()
        before.set()
        try:
            while True:
                await places.acquire()
                async with self._stop.rest(self._idle_s):
                    message = await next_message(context)
                if message is grpc.aio.EOF:
                    return None
                after = asyncio.Event()
                task = tasks.create_task(self._ask(context, message, AnswerInTurn(context, before, after)))
                task.add_done_callback(lambda _: places.release())
                before = after
        except TimeoutError:
            if self._stop.leaving:
                return Restarting()
            return StreamIdle(f"No message came for {self._idle_s:g} s. Open a stream when there is one.")

    async def _ask(self, context: Any, message: bytes, answer: AnswerInTurn) -> None:
        scope = scope_of(ASKED, context.invocation_metadata(), context.peer(), has_message=True)
        await self._app(scope, _given(message), answer)
        await answer.end(context)


def _ending(stay: asyncio.Timeout) -> Callable[[], None]:
    def leave() -> None:
        if not stay.expired():
            stay.reschedule(0)

    return leave


def _given(message: bytes) -> Receive:
    async def read() -> Message:
        return as_body(message)

    return once(read)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


def _retry_after(refused: DomainError) -> tuple[tuple[str, str], ...]:
    pause_s = refused.extra.get("retry_after_s")
    return () if pause_s is None else (("retry-after", str(pause_s)),)
