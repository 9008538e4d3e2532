"""A request on its way to its home cell."""

from collections.abc import Callable
from dataclasses import dataclass

from yarl import URL

from maas.web.cells.routing import request_headers, target_of
from tenants.cells.cells import Cell
from tenants.cells.forwarded import HEADER
from tenants.core.asgi.protocol import REQUEST_ID, Receive, Scope, Send


@dataclass(frozen=True, slots=True)
class Outgoing:
    cell: Cell
    scope: Scope
    receive: Receive
    send: Send
    sign: Callable[[], bytes]
    """Returns the header that vouches for the caller, signed now: a body may have taken long to begin."""

    @property
    def url(self) -> URL:
        return URL(self.cell.url + target_of(self.scope), encoded=True)

    def headers(self) -> list[tuple[str, str]]:
        own = [(HEADER.decode(), self.sign().decode("latin-1")), ("x-request-id", self.scope[REQUEST_ID])]
        return request_headers(self.scope) + own
