"""Passes a request on to its home cell and the answer back, both as they arrive. Nothing of them is kept or logged."""

import aiohttp

from maas.web.cells.body import Body, Caller
from maas.web.cells.connections import Connections, is_unsent
from maas.web.cells.errors import CellConnectionLost, CellUnreachable
from maas.web.cells.outgoing import Outgoing
from maas.web.cells.routing import response_headers
from tenants.core.asgi.protocol import ClientGone
from tenants.core.asgi.stopping import Stop

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
WHOLE_BYTES = 64 << 10
"""The most bytes of an answer that is passed on in one part."""
CELL_HEADER = b"x-maas-cell"
"""The header by which an answer names the cell that it comes from."""


class AnswerCut(ConnectionError):
    """The error if the home cell's answer ends in the middle. The caller's connection is broken, as the answer is."""


class ForwardedRequests:
    def __init__(self, connections: Connections, stop: Stop) -> None:
        self._connections = connections
        self._stop = stop

    async def forward(self, request: Outgoing) -> None:
        """Forward a request. Raises CellUnreachable, CellConnectionLost, ClientGone or AnswerCut."""
        self._connections.require(request.cell)
        body = Body(request.scope, request.receive)
        answer = await self._sent(request, body)
        try:
            with Caller(body, request.receive):
                await self._give_back(request, body, answer)
        except aiohttp.ClientError as error:
            if body.gone:
                raise ClientGone from error
            raise AnswerCut(f"the answer of the cell {request.cell.name!r} ended in the middle") from error
        finally:
            if body.complete and answer.content.at_eof():
                answer.release()
            else:
                # Parts of this request or answer are still on the connection, which must not be used again.
                answer.close()

    async def _sent(self, request: Outgoing, body: Body) -> aiohttp.ClientResponse:
        data = None
        if not body.complete:
            data = body.first if await body.begin() else body
        try:
            with Caller(body, request.receive):
                answer = await self._connections.session.request(
                    request.scope["method"], request.url, headers=request.headers(), data=data, allow_redirects=False
                )
        except (aiohttp.ClientError, OSError) as error:
            if body.gone:
                raise ClientGone from error
            if is_unsent(error):
                self._connections.failed(request.cell, error)
            if is_unsent(error) or request.scope["method"] in SAFE:
                raise CellUnreachable(request.cell) from error
            raise CellConnectionLost(request.cell) from error
        self._connections.answered(request.cell)
        return answer

    async def _give_back(self, request: Outgoing, body: Body, answer: aiohttp.ClientResponse) -> None:
        send, length = request.send, answer.content_length
        headers = [*response_headers(answer.raw_headers), (CELL_HEADER, request.cell.name.encode())]
        if not body.complete and request.scope["http_version"].startswith("1"):
            headers.append((b"connection", b"close"))
        start = {"type": "http.response.start", "status": answer.status, "headers": headers}
        if request.scope["method"] == "HEAD" or (length is not None and length <= WHOLE_BYTES):
            whole = await answer.read()
            await send(start)
            await send({"type": "http.response.body", "body": whole})
            return
        await send(start)
        is_stream = answer.content_type == "text/event-stream"
        try:
            async with self._stop.rest() if is_stream else self._stop.limit():
                async for part in answer.content.iter_any():
                    await send({"type": "http.response.body", "body": part, "more_body": True})
        except TimeoutError:
            if not is_stream:
                raise
        await send({"type": "http.response.body", "body": b""})
