"""Maps paths to sockets, and closes sockets from our side while their consumers wait for a message."""

import asyncio
from contextlib import ExitStack

from jobs.streaming.authorizer import Authorizer
from jobs.streaming.consumers import LEAVING, EventsConsumer
from jobs.streaming.credential_checks import CredentialChecks
from jobs.streaming.hub import Hub
from jobs.streaming.open_connections import OpenConnections
from tenants.core.asgi.protocol import App, Message, Receive, Scope, Send
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import NotFound

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


class Sockets:
    def __init__(
        self,
        hub: Hub,
        threads: DatabaseThreads,
        authorizer: Authorizer,
        seats: OpenConnections,
        credential_checks: CredentialChecks,
    ) -> None:
        events = EventsConsumer.as_asgi(
            hub=hub, authorizer=authorizer, threads=threads, seats=seats, credential_checks=credential_checks
        )
        self._at: dict[str, App] = {"/ws/v1/events": events}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._at.get(scope["path"])
        if app is None:
            raise NotFound(f"There is no WebSocket at this URL. Use one of: {', '.join(sorted(self._at))}.")
        socket = Closable(receive, send)
        with ExitStack() as leaving:
            await app({**scope, LEAVING: leaving}, socket.receive, socket.send)
