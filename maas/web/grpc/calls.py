"""Passes gRPC calls to the front as the HTTP requests that they are on the wire, and converts its responses."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any
from urllib.parse import unquote

import grpc
import grpc.aio

from inference.gateway.gateway import OVER_GRPC
from inference.gateway.open_inference.grpc.answers import in_stream, refused_in_stream
from maas.web.errors.api_errors import grpc_status_of
from maas.web.grpc.message_flow import ReadSlots
from tenants.api.authentication import IDENTITY
from tenants.core.asgi.protocol import App, ClientGone, Message, Receive, Scope
from tenants.identity.identity import Identity

LONGEST_WRITE_S = 60.0
"""Seconds without reading a response after which a caller counts as disconnected."""
ANSWERED = 200
ERROR_CODE = "maas-error-code"
CLIENT_GONE = "client_gone"
TOLD = frozenset({"x-request-id", "server-timing", "retry-after", "ratelimit", "ratelimit-policy", "x-cache", "age"})
"""Headers that also apply to a gRPC call."""


class Answer:
    """A `send` callable that records the response."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.body = b""
        self._headers: Sequence[tuple[bytes, bytes]] = ()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self._headers = message["status"], message["headers"]
        else:
            self.body += message.get("body", b"")

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        pairs = ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in self._headers)
        return tuple((name, value) for name, value in pairs if name in TOLD)

    @property
    def refusal(self) -> tuple[str, str]:
        if self.status is None:
            return CLIENT_GONE, "The caller has left."
        problem = json.loads(self.body)
        return problem["code"], problem["error"]

    async def end(self, context: Any) -> None:
        """End the call after the front is done with it. If the call was refused, abort it, which raises."""
        if self.status == ANSWERED:
            context.set_trailing_metadata(self.notes)
            return
        code, detail = self.refusal
        await abort(context, code, detail, self.notes)


class WrittenAnswer(Answer):
    """A response that is written before the front is done with the call, and held by the process until then."""

    def __init__(self, context: Any) -> None:
        super().__init__()
        self._context = context

    async def __call__(self, message: Message) -> None:
        await super().__call__(message)
        if message["type"] == "http.response.body" and self.status == ANSWERED:
            await write(self._context, self.body)


class AnswerInTurn(Answer):
    """A response of a stream, written after those before it. Until then it counts as held by the process."""

    def __init__(self, context: Any, before: asyncio.Event, after: asyncio.Event) -> None:
        super().__init__()
        self._context = context
        self._before = before
        self._after = after
        self._begun = False

    async def __call__(self, message: Message) -> None:
        await super().__call__(message)
        if message["type"] == "http.response.body":
            await self._write()

    async def end(self, context: Any) -> None:
        """Write the front's refusal if it has sent none. Raises ClientGone if the response could not be written."""
        if not self._begun:
            await self._write()
        if not self._after.is_set():
            raise ClientGone

    async def _write(self) -> None:
        self._begun = True
        await self._before.wait()
        answered = self.status == ANSWERED
        await write(self._context, in_stream(self.body) if answered else refused_in_stream(self.refusal[1]))
        self._after.set()


async def write(context: Any, message: bytes) -> None:
    try:
        async with asyncio.timeout(LONGEST_WRITE_S):
            await context.write(message)
    except (TimeoutError, grpc.aio.BaseError):
        raise ClientGone from None


async def abort(context: Any, code: str, detail: str, notes: Sequence[tuple[str, str]] = ()) -> None:
    status = "CANCELLED" if code == CLIENT_GONE else grpc_status_of(code)
    await context.abort(getattr(grpc.StatusCode, status), detail, (*notes, (ERROR_CODE, code)))


Metadata = Iterable[tuple[str, str | bytes]]


def scope_of(path: str, metadata: Metadata, peer: str, *, has_message: bool) -> Scope:
    """Return the scope. `has_message`: a message is still to be read, so the caller must be known before."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "2",
        "method": "POST" if has_message else "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [
            (name.encode(), value.encode("latin-1", "replace") if isinstance(value, str) else value)
            for name, value in metadata
        ],
        "client": client_of(peer),
        "server": None,
        OVER_GRPC: True,
    }


def client_of(peer: str) -> tuple[str, int] | None:
    """Return client IP and port from a text like `ipv4:127.0.0.1:4711` or `ipv6:%5B::1%5D:4711`."""
    family, _, address = unquote(peer).partition(":")
    host, _, port = address.rpartition(":")
    if family not in {"ipv4", "ipv6"} or not port.isdecimal():
        return None
    return host.strip("[]"), int(port)


Handler = Callable[[Any, Any], Awaitable[None]]


def handler_of(path: str, app: App, seats: ReadSlots, *, has_message: bool) -> Handler:
    async def handle(_messages: Any, context: Any) -> None:
        scope = scope_of(path, context.invocation_metadata(), context.peer(), has_message=has_message)
        answer = WrittenAnswer(context)
        await app(scope, _message_of(context, scope, seats), answer)
        await answer.end(context)

    return handle


def _message_of(context: Any, scope: Scope, seats: ReadSlots) -> Receive:
    """Return a `receive` that requests the message once its caller is known. gRPC takes only its window until then."""

    async def read() -> Message:
        async with seats.slot(tenant_of(scope)):
            return as_body(await next_message(context))

    return once(read)


async def next_message(context: Any) -> Any:
    """Return the next message, or EOF after the last. Raises ClientGone."""
    try:
        return await context.read()
    except grpc.aio.BaseError:
        raise ClientGone from None


def once(read: Callable[[], Awaitable[Message]]) -> Receive:
    """Return a `receive` that returns the body once and then waits. A disconnect cancels the handler's task."""
    waiting = True

    async def receive() -> Message:
        nonlocal waiting
        if waiting:
            waiting = False
            return await read()
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    return receive


def as_body(message: Any) -> Message:
    if message is grpc.aio.EOF:
        raise ClientGone
    return {"type": "http.request", "body": message, "more_body": False}


def tenant_of(scope: Scope) -> Any:
    identity = scope.get(IDENTITY)
    return identity.tenant_id if isinstance(identity, Identity) else None
