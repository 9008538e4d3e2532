"""Converts responses of the front to gRPC: a message, or a status with a text, and metadata at the end."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import grpc
import grpc.aio

from inference.gateway.open_inference.grpc.answers import in_stream, refused_in_stream
from maas.web.errors.api_errors import grpc_status_of
from tenants.core.asgi.protocol import ClientGone, Message

LONGEST_WRITE_S = 60.0
"""Seconds without reading a response after which a caller counts as disconnected."""
ANSWERED = 200
ERROR_CODE = "maas-error-code"
CLIENT_GONE = "client_gone"
TOLD = frozenset(
    {"x-request-id", "server-timing", "retry-after", "ratelimit", "ratelimit-policy", "x-cache", "age"}
)
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
        said = ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in self._headers)
        return tuple((name, value) for name, value in said if name in TOLD)

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
        code, words = self.refusal
        await abort(context, code, words, self.notes)


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


async def abort(context: Any, code: str, words: str, notes: Sequence[tuple[str, str]] = ()) -> None:
    status = "CANCELLED" if code == CLIENT_GONE else grpc_status_of(code)
    await context.abort(getattr(grpc.StatusCode, status), words, (*notes, (ERROR_CODE, code)))
