"""Closes a socket from our side while its consumer waits for the client to speak."""

import asyncio

from tenants.core.asgi.protocol import Message, Receive, Send

CLOSING_S = 5.0
"""A client that does not even take the closing frame is left to the server."""


class Closable:
    """granian holds a closing frame back while a `receive` is pending, so that one is ended first (measured)."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._reading: asyncio.Future[Message] | None = None
        self._code: int | None = None
        self._said = asyncio.Event()

    async def receive(self) -> Message:
        if self._code is None:
            self._reading = asyncio.ensure_future(self._receive())
            try:
                return await self._reading
            except asyncio.CancelledError:
                if self._code is None:
                    raise
        # Only now: the consumer ends itself, and with it whoever is saying goodbye.
        await self._said.wait()
        return {"type": "websocket.disconnect", "code": self._code}

    async def send(self, message: Message) -> None:
        if message["type"] == "websocket.close":
            await self._close(message)
        else:
            await self._send(message)

    async def _close(self, message: Message) -> None:
        self._code = message.get("code", 1000)
        try:
            if self._reading is not None and self._reading.cancel():
                await asyncio.wait([self._reading])
            async with asyncio.timeout(CLOSING_S):
                await self._send(message)
        finally:
            self._said.set()
