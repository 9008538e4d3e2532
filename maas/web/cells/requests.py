"""Passes a request on to its home cell and the answer back, both as they arrive. Nothing of them is kept or logged."""

import time

import aiohttp

from maas.web.cells.attempt import SAFE, Attempt, is_unsent
from maas.web.cells.body import Body, Caller
from maas.web.cells.connections import Connections
from maas.web.cells.errors import CellConnectionLost, CellUnreachable
from maas.web.cells.outgoing import Outgoing
from maas.web.cells.routing import response_headers
from maas.web.guard.body import Deadlines
from tenants.core.asgi.protocol import ClientGone
from tenants.core.asgi.stopping import Restarting, Stop

ANSWER_S = 300.0
"""Seconds in which an answer must begin. The longest is for a document that is fetched (`MAAS_FETCH_S`), checked and
waited for (`Prefer: wait=60`).
"""
UPLOAD_S = Deadlines().upload_s + ANSWER_S
SILENT_S = 90.0
"""Seconds without a byte after which an answer that has begun is cut. Waits (a minute at most) end before an answer
begins, and event streams send something every 15 seconds.
"""
WHOLE_BYTES = 64 << 10
"""The most bytes of an answer that is passed on in one part."""
CELL_HEADER = b"x-maas-cell"
"""The header by which an answer names the cell that it comes from."""


class AnswerCut(ConnectionError):
    """The error if the home cell's answer ends in the middle. The caller's answer then stays without an end."""


class ForwardedRequests:
    def __init__(self, connections: Connections, stop: Stop) -> None:
        self._connections = connections
        self._stop = stop

    async def forward(self, request: Outgoing, body: Body) -> None:
        """Forward a request. Raises CellUnreachable, CellConnectionLost, Restarting, ClientGone or AnswerCut."""
        answer = await self._sent(request, body)
        try:
            with Caller(body, request.receive):
                await self._give_back(request, body, answer)
        except aiohttp.ClientError as error:
            if body.gone:
                raise ClientGone from error
            raise AnswerCut(f"The connection broke: {error}") from error
        finally:
            if body.complete and answer.content.at_eof():
                answer.release()
            else:
                # Parts of this request or answer are still on the connection, which must not be used again.
                answer.close()

    async def _sent(self, request: Outgoing, body: Body) -> aiohttp.ClientResponse:
        attempt = Attempt(only_reads=body.data is None and request.scope["method"] in SAFE)
        try:
            with Caller(body, request.receive):
                async with self._stop.limit(ANSWER_S if body.complete else UPLOAD_S):
                    answer = await self._connections.session.request(
                        request.scope["method"],
                        request.url,
                        headers=request.headers(),
                        data=body.data,
                        allow_redirects=False,
                        middlewares=(attempt,),
                        trace_request_ctx=attempt,
                    )
        except (aiohttp.ClientError, OSError) as error:
            raise self._failure(request, body, error) from error
        self._connections.answered(request.cell)
        return answer

    def _failure(self, request: Outgoing, body: Body, error: Exception) -> Exception:
        if body.gone:
            return ClientGone()
        if is_unsent(error):
            self._connections.failed(request.cell, error)
            return CellUnreachable(request.cell)
        if request.scope["method"] in SAFE:
            if self._stop.told:
                return Restarting()
            if not isinstance(error, TimeoutError):
                return CellUnreachable(request.cell)
        return CellConnectionLost(request.cell)

    async def _give_back(self, request: Outgoing, body: Body, answer: aiohttp.ClientResponse) -> None:
        send, length = request.send, answer.content_length
        headers = [*response_headers(answer.raw_headers), (CELL_HEADER, request.cell.name.encode())]
        if not body.complete and request.scope["http_version"].startswith("1"):
            headers.append((b"connection", b"close"))
        start = {"type": "http.response.start", "status": answer.status, "headers": headers}
        if request.scope["method"] == "HEAD" or (length is not None and length <= WHOLE_BYTES):
            whole = await self._whole(request, body, answer)
            await send(start)
            await send({"type": "http.response.body", "body": whole})
            return
        await send(start)
        is_stream = answer.content_type == "text/event-stream"
        try:
            async with self._stop.rest() if is_stream else self._stop.limit():
                while part := await self._part(answer):
                    await send({"type": "http.response.body", "body": part, "more_body": True})
        except TimeoutError as error:
            if not is_stream:
                raise AnswerCut("This process stops.") from error
        await send({"type": "http.response.body", "body": b""})

    async def _part(self, answer: aiohttp.ClientResponse) -> bytes:
        """Return the next part of the answer, or nothing at its end. The caller's own pace does not count."""
        try:
            return await self._stop.wait(time.monotonic() + SILENT_S, answer.content.readany)
        except TimeoutError as error:
            if self._stop.told:
                raise
            raise AnswerCut(f"Nothing arrived for {SILENT_S:g} s.") from error

    async def _whole(self, request: Outgoing, body: Body, answer: aiohttp.ClientResponse) -> bytes:
        """Return a small answer. The caller was sent nothing yet, so it learns in words if this breaks."""
        try:
            async with self._stop.limit(SILENT_S):
                return await answer.read()
        except (aiohttp.ClientError, OSError) as error:
            if body.gone:
                raise ClientGone from error
            raise CellConnectionLost(request.cell) from error
