"""Takes what the front answers, and says it as gRPC does: a message, or a status with words; and notes at the end."""

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
"""Whoever takes nothing of an answer for so long has left."""
ANSWERED = 200
ERROR_CODE = "maas-error-code"
CLIENT_GONE = "client_gone"
TOLD = frozenset(
    {"x-request-id", "server-timing", "retry-after", "ratelimit", "ratelimit-policy", "x-cache", "age"}
)
"""Headers that are true of a call by gRPC as well."""


class Answer:
    """A `send` that keeps what is said."""

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
        """Code and words."""
        if self.status is None:
            return CLIENT_GONE, "The caller has left."
        problem = json.loads(self.body)
        return problem["code"], problem["error"]

    async def end(self, context: Any) -> None:
        """After the front is done with the call. Raises where it was refused, as gRPC wants it."""
        if self.status == ANSWERED:
            context.set_trailing_metadata(self.notes)
            return
        code, words = self.refusal
        await abort(context, code, words, self.notes)


class WrittenAnswer(Answer):
    """On its way before the front is done with it: until then it counts as what the process holds."""

    def __init__(self, context: Any) -> None:
        super().__init__()
        self._context = context

    async def __call__(self, message: Message) -> None:
        await super().__call__(message)
        if message["type"] == "http.response.body" and self.status == ANSWERED:
            await write(self._context, self.body)


class AnswerInTurn(Answer):
    """One of a stream's, written after those before it: until then it counts as what the process holds."""

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
        """Raises ClientGone where the answer could not be written; where the front has said nothing, that is said."""
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
