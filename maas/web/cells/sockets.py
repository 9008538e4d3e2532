"""Passes a websocket on to its home cell: the handshake, then the messages of both sides."""

import asyncio
from typing import Any

import aiohttp

from maas.web.cells.attempt import is_unsent
from maas.web.cells.connections import Connections
from maas.web.cells.errors import CellUnreachable
from maas.web.cells.outgoing import Outgoing
from maas.web.guard.refusals import Refusal, refuse_socket
from tenants.core.asgi.protocol import Receive, Send
from tenants.core.asgi.stopping import Restarting, Stop

OPEN_S = 10.0
"""Seconds in which the home cell must answer a handshake."""
PING_S = 30.0
"""Seconds of silence of the home cell after which it is asked whether it is there. It must answer in half that time."""
LONGEST_MESSAGE = 16 << 20
LOST = 1013
"""The close code if the connection between the cells breaks: try again later."""
RESTARTS = 1012
NORMAL = 1000


class ForwardedSockets:
    def __init__(self, connections: Connections, stop: Stop) -> None:
        self._connections = connections
        self._stop = stop

    async def forward(self, request: Outgoing) -> None:
        """Forward a socket until one side closes it. Raises CellUnreachable or Restarting before it is opened."""
        try:
            async with self._stop.limit(OPEN_S):
                home = await self._connections.session.ws_connect(
                    request.url,
                    headers=request.headers(),
                    protocols=tuple(request.scope.get("subprotocols") or ()),
                    max_msg_size=LONGEST_MESSAGE,
                    heartbeat=PING_S,
                )
        except aiohttp.WSServerHandshakeError as error:
            refused = Refusal(error.status, ((b"content-length", b"0"),), b"")
            await refuse_socket(request.scope, refused, request.send)
            return
        except (aiohttp.ClientError, OSError) as error:
            if is_unsent(error):
                self._connections.failed(request.cell, error)
            elif self._stop.told:
                raise Restarting() from error
            raise CellUnreachable(request.cell) from error
        self._connections.answered(request.cell)
        try:
            await request.receive()  # The handshake of the caller.
            await request.send({"type": "websocket.accept", "subprotocol": home.protocol})
            await self._exchange(home, request.receive, request.send)
        finally:
            await home.close()

    async def _exchange(self, home: Any, receive: Receive, send: Send) -> None:
        to_home = asyncio.ensure_future(_to_home(home, receive))
        to_caller = asyncio.ensure_future(_to_caller(home, send))
        code = RESTARTS
        try:
            async with self._stop.rest():
                await asyncio.wait((to_home, to_caller), return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            pass
        else:
            code = LOST if home.close_code in (None, 1006) else home.close_code
        left = to_home.done() and to_home.exception() is None
        for task in (to_home, to_caller):
            task.cancel()
        # A server may not take the end of a socket while it is still asked for a message.
        await asyncio.gather(to_home, to_caller, return_exceptions=True)
        if not left:
            await send({"type": "websocket.close", "code": code})


async def _to_home(home: Any, receive: Receive) -> None:
    while True:
        message = await receive()
        if message["type"] != "websocket.receive":
            await home.close(code=message.get("code") or NORMAL)
            return
        if message.get("text") is not None:
            await home.send_str(message["text"])
        else:
            await home.send_bytes(message["bytes"])


async def _to_caller(home: Any, send: Send) -> None:
    async for message in home:
        if message.type == aiohttp.WSMsgType.TEXT:
            await send({"type": "websocket.send", "text": message.data})
        elif message.type == aiohttp.WSMsgType.BINARY:
            await send({"type": "websocket.send", "bytes": message.data})
