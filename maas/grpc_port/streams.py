"""Streams of requests: each message is a call of its own, and the answers come in the order of the messages."""

import asyncio
from typing import Any

import grpc.aio
import structlog

from inference.gateway.gateway import GRPC_PREFIX
from inference.gateway.open_inference.grpc.answers import in_stream, refused_in_stream
from maas.grpc_port.answers import ANSWERED, Answer, abort, write
from maas.grpc_port.calls import as_body, next_message, once, tenant_of
from maas.grpc_port.scopes import scope_of
from maas.grpc_port.seats import StreamSeats
from tenants.asgi.protocol import App, ClientGone, Message, Receive
from tenants.asgi.stopping import Restarting, Stop
from tenants.errors import DomainError

log = structlog.get_logger(__name__)
AT_ONCE = 8
"""Messages of one stream that wait to be asked or to be answered."""
OPENED, ASKED = f"{GRPC_PREFIX}ModelStreamInfer", f"{GRPC_PREFIX}ModelInfer"

Answers = asyncio.Queue["asyncio.Task[bytes] | None"]


class Streams:
    def __init__(self, app: App, stop: Stop) -> None:
        self._app = app
        self._stop = stop
        self._seats = StreamSeats()

    async def __call__(self, _messages: Any, context: Any) -> None:
        """The key is looked at before the first message is read, and again for each: streams last."""
        scope = scope_of(OPENED, context.invocation_metadata(), context.peer(), has_message=False)
        opened = Answer()
        await self._app(scope, once(_nothing), opened)
        await opened.end(context)
        try:
            with self._seats.one(tenant_of(scope)):
                await self._serve(context)
        except DomainError as refused:
            await abort(context, refused.code, refused.detail, _retry_after(refused))

    async def _serve(self, context: Any) -> None:
        answers = Answers(AT_ONCE)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(_write_in_order(context, answers))
                while (message := await self._next(context)) is not grpc.aio.EOF:
                    await answers.put(tasks.create_task(self._answered(context, message)))
                await answers.put(None)
        except* ClientGone:
            log.info("client_gone", path=OPENED)
        if self._stop.told:
            raise Restarting

    async def _next(self, context: Any) -> Any:
        try:
            async with self._stop.limit():
                return await next_message(context)
        except TimeoutError:
            return grpc.aio.EOF

    async def _answered(self, context: Any, message: bytes) -> bytes:
        scope = scope_of(ASKED, context.invocation_metadata(), context.peer(), has_message=True)
        answer = Answer()
        await self._app(scope, _given(message), answer)
        return in_stream(answer.body) if answer.status == ANSWERED else refused_in_stream(answer.refusal[1])


async def _write_in_order(context: Any, answers: Answers) -> None:
    while (task := await answers.get()) is not None:
        await write(context, await task)


def _given(message: bytes) -> Receive:
    async def read() -> Message:
        return as_body(message)

    return once(read)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


def _retry_after(refused: DomainError) -> tuple[tuple[str, str], ...]:
    pause_s = refused.extra.get("retry_after_s")
    return () if pause_s is None else (("retry-after", str(pause_s)),)
