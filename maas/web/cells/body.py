"""Reads the body of a request as it arrives, for the home cell, and notices when the caller leaves."""

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

from maas.web.guard.body import BodyTooSlow
from tenants.core.asgi.protocol import ClientGone, Receive, Scope, has_body, header, until_disconnect
from tenants.core.asgi.stopping import LOOKED_EVERY_S, Restarting, Stop

FIRST_PART_S = 15.0
"""Seconds in which a body must begin. Nothing is sent to the home cell before, whose guard bounds the rest of it."""


class Body:
    """The body, which can be read once. A second reading fails: what was sent is never sent again."""

    def __init__(self, scope: Scope, receive: Receive, stop: Stop) -> None:
        self._receive = receive
        self._stop = stop
        self._begun = False
        self._left_bytes = _length(scope)
        self.complete = not has_body(scope) and header(scope, b"transfer-encoding") is None
        """Set if no more of it comes from the caller."""
        self.gone = False
        """Set if the caller has left."""
        self.data: bytes | Body | None = None
        """What is sent: nothing, the whole body, or this object, which reads the rest of it."""
        self._first = b""

    async def begin(self) -> None:
        """Read the first part. Raises BodyTooSlow, Restarting or ClientGone."""
        try:
            async with self._stop.limit(FIRST_PART_S):
                while not (self._first or self.complete):
                    self._first = await self._part()
        except TimeoutError:
            if self._stop.told:
                raise Restarting() from None
            raise BodyTooSlow(f"No byte of the body arrived for {FIRST_PART_S:g} s.") from None
        self.data = self._first if self.complete else self

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._begun:
            raise ConnectionError("the body was sent already")
        self._begun = True
        yield self._first
        while not self.complete:
            if part := await self._part():
                yield part

    async def _part(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.gone = True
            raise ClientGone
        self.complete = not message.get("more_body", False)
        part = bytes(message.get("body", b""))
        if self._left_bytes is not None:
            self._left_bytes -= len(part)
            if self.complete and self._left_bytes:
                # The home cell would take the next request on the connection for the rest of this body.
                self.gone = True
                raise ClientGone
        return part


def _length(scope: Scope) -> int | None:
    """Return the announced length. Chunks have none, even if there is a header for it (RFC 9112, 6.3)."""
    length = header(scope, b"content-length")
    is_chunked = header(scope, b"transfer-encoding") is not None
    return int(length) if length is not None and length.isdecimal() and not is_chunked else None


class Caller:
    """Ends a block if the caller leaves after the body was read. A short block pays nothing for it."""

    def __init__(self, body: Body, receive: Receive) -> None:
        self._body = body
        self._receive = receive
        self._timer: asyncio.TimerHandle | None = None
        self._listener: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        self._task = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(LOOKED_EVERY_S, self._look)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._listener is not None:
            self._listener.cancel()
        canceled = self._body.gone and isinstance(error, asyncio.CancelledError)
        if canceled and self._task is not None and self._task.uncancel() == 0:
            raise ClientGone from None

    def _look(self) -> None:
        if not self._body.complete:
            self._timer = self._loop.call_later(LOOKED_EVERY_S, self._look)
            return
        self._listener = asyncio.ensure_future(until_disconnect(self._receive))
        self._listener.add_done_callback(self._left)

    def _left(self, listener: "asyncio.Task[None]") -> None:
        if not listener.cancelled() and self._task is not None:
            self._body.gone = True
            self._task.cancel()
