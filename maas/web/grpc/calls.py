"""Calls of one message and one answer, handed to the front."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc.aio

from maas.web.grpc.answers import WrittenAnswer
from maas.web.grpc.reading import ReadingSeats
from maas.web.grpc.scopes import scope_of
from tenants.api.authentication import IDENTITY
from tenants.core.asgi.protocol import App, ClientGone, Message, Receive, Scope
from tenants.identity.identity import Identity

Handler = Callable[[Any, Any], Awaitable[None]]


def handler_of(path: str, app: App, seats: ReadingSeats, *, has_message: bool) -> Handler:
    async def handle(_messages: Any, context: Any) -> None:
        scope = scope_of(path, context.invocation_metadata(), context.peer(), has_message=has_message)
        answer = WrittenAnswer(context)
        await app(scope, _message_of(context, scope, seats), answer)
        await answer.end(context)

    return handle


def _message_of(context: Any, scope: Scope, seats: ReadingSeats) -> Receive:
    """Asked for only once its caller is known: until then gRPC takes no more of it than its window."""

    async def read() -> Message:
        async with seats.one(tenant_of(scope)):
            return as_body(await next_message(context))

    return once(read)


async def next_message(context: Any) -> Any:
    """EOF after the last."""
    try:
        return await context.read()
    except grpc.aio.BaseError:
        raise ClientGone from None


def once(read: Callable[[], Awaitable[Message]]) -> Receive:
    """Whoever listens after the body waits: a caller who leaves is told to the handler's task, which is canceled."""
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
