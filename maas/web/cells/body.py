"""Reads the body of a request as it arrives, for the home cell, and notices when the caller leaves."""

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

from maas.web.guard.body import BodyTooSlow
from tenants.core.asgi.protocol import ClientGone, Receive, Scope, has_body, until_disconnect
from tenants.core.asgi.stopping import LOOKED_EVERY_S

FIRST_PART_S = 15.0
"""Seconds in which a body must begin. Nothing is sent to the home cell before, whose guard bounds the rest of it."""


class Body:
    """The body, which can be read once. A second reading fails: what was sent is never sent again."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._receive = receive
        self._begun = False
        self.complete = not has_body(scope)
        self.gone = False
        """Set if the caller has left."""
        self.first = b""

    async def begin(self) -> bool:
        """Read the first part, and return whether it is the whole body. Raises BodyTooSlow."""
        if not self.complete:
            try:
                async with asyncio.timeout(FIRST_PART_S):
                    self.first = await self._part()
            except TimeoutError:
                raise BodyTooSlow(f"No byte of the body arrived for {FIRST_PART_S:g} s.") from None
        return self.complete

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._begun:
            raise ConnectionError("the body was sent already")
        self._begun = True
        yield self.first
        while not self.complete:
            if part := await self._part():
                yield part

    async def _part(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.gone = True
            raise ClientGone
        self.complete = not message.get("more_body", False)
        return bytes(message.get("body", b""))


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
