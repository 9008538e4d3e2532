"""Stands before the fast calls and the guard where there are cells: sends each request to the home of its tenant."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import structlog
from django.conf import settings
from prometheus_client import Counter

from maas.web.cells.body import Body
from maas.web.cells.connections import Connections
from maas.web.cells.errors import UnknownCell, misrouted, wrong_cell
from maas.web.cells.outgoing import Outgoing
from maas.web.cells.requests import CELL_HEADER, AnswerCut, ForwardedRequests
from maas.web.cells.routing import Home, credential_of, foreign_home, target_of
from maas.web.cells.slots import Slots
from maas.web.cells.sockets import ForwardedSockets
from maas.web.guard.metrics import REFUSALS
from maas.web.guard.refusals import is_api, refusal, refuse_request, refuse_socket
from maas.web.guard.request_ids import request_id
from tenants.cells.cells import Cell, Cells
from tenants.cells.forwarded import HEADER, client_ip_of, forwarded_header
from tenants.core.asgi.client_ip_limit import address_of_scope, place_of_scope
from tenants.core.asgi.protocol import REQUEST_ID, App, ClientGone, Message, Receive, Scope, Send, has_body, header
from tenants.core.asgi.stopping import Restarting, Stop
from tenants.core.asgi.threads import Overloaded
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
FORWARDED = Counter(
    "maas_cell_requests_total", "Requests and sockets that were forwarded to other cells.", ["cell", "outcome"]
)
VOUCHED = Counter("maas_cell_vouched_total", "Requests that came with the header of another cell.", ["outcome"])
MAX_OF_CELL = 4_096
"""The most requests and sockets in each web process that one other cell answers at the same time."""
MAX_OF_KEY = MAX_OF_CELL // 4
MAX_UNBEGUN = 64
"""The most requests of one client IP whose body has not begun. They take no slot of a cell or a key."""


class CellFront:
    def __init__(self, inner: App, cells: Cells, stop: Stop, *, clock: Callable[[], float] = time.time) -> None:
        self._inner = inner
        self._cells = cells
        self._clock = clock
        self._connections = Connections()
        self._requests = ForwardedRequests(self._connections, stop)
        self._sockets = ForwardedSockets(self._connections, stop)
        self._stop = stop
        self._of_cell = Slots(MAX_OF_CELL)
        self._of_key = Slots(MAX_OF_KEY)
        self._unbegun = Slots(MAX_UNBEGUN)

    async def close(self) -> None:
        await self._connections.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        vouched = header(scope, HEADER)
        home = foreign_home(scope, self._cells.own)
        if vouched is not None:
            scope = self._received(scope, vouched)
        if home is None:
            await self._inner(scope, receive, send)
            return
        noting = _Noting(send)
        scope[REQUEST_ID] = request_id(header(scope, b"x-request-id"))
        try:
            if vouched is not None:
                raise misrouted(home.cell, self._cells.own)
            await self._send_home(self._cell(home), home, scope, receive, noting)
        except ClientGone:
            pass
        except AnswerCut as error:
            # The server resets the stream, or breaks the connection, of an answer that is left without an end.
            log.warning("cell_answer_cut", cell=home.cell, request_id=scope[REQUEST_ID], error=str(error))
        except DomainError as error:
            if noting.started:
                raise
            await self._refuse(scope, error, send)

    def _cell(self, home: Home) -> Cell:
        cell = self._cells.by_name.get(home.cell)
        if cell is None:
            raise UnknownCell(home.cell, self._cells.by_name)
        return cell

    async def _send_home(self, cell: Cell, home: Home, scope: Scope, receive: Receive, send: Send) -> None:
        if self._cells.redirect:
            await _redirect(cell, scope, send)
            return
        outcome = "failed"
        try:
            await self._forward(cell, home, scope, receive, send)
            outcome = "answered"
        except DomainError as error:
            outcome = error.code
            raise
        except ClientGone:
            outcome = "client_gone"
            raise
        finally:
            FORWARDED.labels(cell.name, outcome).inc()

    async def _forward(self, cell: Cell, home: Home, scope: Scope, receive: Receive, send: Send) -> None:
        if self._stop.told:
            raise Restarting()
        self._connections.require(cell)
        sign = partial(self._vouch, cell, address_of_scope(scope, settings.MAAS_PROXIES), home)
        outgoing = Outgoing(cell, scope, receive, send, sign)
        if scope["type"] == "websocket":
            with self._slot(cell, home):
                await self._sockets.forward(outgoing)
            return
        body = Body(scope, receive, self._stop)
        if not body.complete:
            await self._begin(body, scope)
        with self._slot(cell, home):
            await self._requests.forward(outgoing, body)

    async def _begin(self, body: Body, scope: Scope) -> None:
        """Wait for the first part of a body. The key is not checked here, so this wait must take nothing of others."""
        place = place_of_scope(scope, settings.MAAS_PROXIES)
        if self._unbegun.is_full(place):
            raise _too_many("Too many requests from your address have not begun to send their body. Send this again.")
        with self._unbegun.take(place):
            await body.begin()

    @contextmanager
    def _slot(self, cell: Cell, home: Home) -> Iterator[None]:
        if self._of_cell.is_full(cell.name) or self._of_key.is_full(home.share):
            raise _too_many(
                f"Too many requests wait for the cell {cell.name!r}. Send this again later, or send it to {cell.url}."
            )
        with self._of_cell.take(cell.name), self._of_key.take(home.share):
            yield

    def _vouch(self, cell: Cell, client_ip: str, home: Home) -> bytes:
        return forwarded_header(self._cells, cell.name, client_ip, home.credential, self._clock())

    def _received(self, scope: Scope, vouched: str) -> Scope:
        """Return the scope with the caller's own client IP if a cell vouches for it, and without the header."""
        client_ip = None
        if is_api(scope["path"]):
            client_ip = client_ip_of(self._cells, vouched.encode("latin-1"), credential_of(scope), self._clock())
        VOUCHED.labels("ignored" if client_ip is None else "accepted").inc()
        dropped = {HEADER} if client_ip is None else {HEADER, b"x-forwarded-for"}
        headers = [pair for pair in scope["headers"] if pair[0].lower() not in dropped]
        return {**scope, "headers": headers, **({} if client_ip is None else {"client": (client_ip, 0)})}

    async def _refuse(self, scope: Scope, error: DomainError, send: Send) -> None:
        REFUSALS.labels(error.code).inc()
        if scope["type"] == "websocket":
            await refuse_socket(scope, refusal(scope, error, hang_up=True), send)
            return

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"x-request-id", scope[REQUEST_ID].encode())]}
            await send(message)

        await refuse_request(refusal(scope, error, hang_up=has_body(scope)), named)


def _too_many(message: str) -> Overloaded:
    return Overloaded(message, gate="forwarded_requests", extra={"retry_after_s": 1})


class OnlyHere:
    """Refuses the keys of other cells, for a protocol that is not forwarded."""

    def __init__(self, inner: App, cells: Cells) -> None:
        self._inner = inner
        self._cells = cells

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        home = foreign_home(scope, self._cells.own)
        if home is None:
            await self._inner(scope, receive, send)
            return
        scope[REQUEST_ID] = request_id(header(scope, b"x-request-id"))
        cell = self._cells.by_name.get(home.cell)
        error = UnknownCell(home.cell, self._cells.by_name) if cell is None else wrong_cell(cell)
        REFUSALS.labels(error.code).inc()
        await refuse_request(refusal(scope, error, hang_up=False), send)


class _Noting:
    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def __call__(self, message: Message) -> None:
        self.started = True
        await self._send(message)


async def _redirect(cell: Cell, scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        raise wrong_cell(cell)
    headers = [
        (b"location", (cell.url + target_of(scope)).encode("latin-1")),
        (b"content-length", b"0"),
        (b"cache-control", b"no-store"),
        (b"x-request-id", scope[REQUEST_ID].encode()),
        (CELL_HEADER, cell.name.encode()),
    ]
    if has_body(scope) and scope["http_version"].startswith("1"):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": 307, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
