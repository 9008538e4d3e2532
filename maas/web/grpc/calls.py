"""Passes calls of one message and one response to the front, with the ASGI scope of the request on the wire."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import unquote

import grpc.aio

from inference.gateway.gateway import OVER_GRPC
from maas.web.grpc.answers import WrittenAnswer
from maas.web.grpc.message_flow import ReadSlots
from tenants.api.authentication import IDENTITY
from tenants.core.asgi.protocol import App, ClientGone, Message, Receive, Scope
from tenants.identity.identity import Identity

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
    family, _, place = unquote(peer).partition(":")
    host, _, port = place.rpartition(":")
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
        async with seats.one(tenant_of(scope)):
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
