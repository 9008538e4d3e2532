"""Closes a socket from our side while its consumer waits for a message of the client."""

import asyncio

from tenants.core.asgi.protocol import Message, Receive, Send

CLOSING_S = 5.0
"""The timeout for the closing frame, in seconds. If a client does not take it, the server closes the connection."""


class Closable:
    """A socket to close from our side. granian holds back the closing frame until `receive` has ended (measured)."""

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
        # This happens only after the closing frame, because the consumer then ends itself and the task that is sending
        # the last message.
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
