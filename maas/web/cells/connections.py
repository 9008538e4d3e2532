"""The connections to other cells, which are kept for the next request."""

import socket
import time
from typing import Any

import aiohttp
import structlog

from maas.web.cells.attempt import tracing
from maas.web.cells.errors import CellUnreachable
from tenants.cells.cells import Cell

log = structlog.get_logger(__name__)
CONNECT_S = 3.0
"""Seconds to connect, TLS included. Cells are continents apart at most."""
IDLE_S = 10.0
"""Seconds for which an idle connection is kept: fewer than servers and proxies wait before they close one."""
SILENT_MS = 10_000
"""The time after which a connection that was cut without a message counts as lost."""
PAUSE_S = 1.0
"""Seconds for which nothing is sent to a cell that could not be reached."""


class Connections:
    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._paused_until_s: dict[str, float] = {}

    @property
    def session(self) -> aiohttp.ClientSession:
        """Return the session, which belongs to the running loop."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=0, keepalive_timeout=IDLE_S, ttl_dns_cache=30, socket_factory=_socket
                ),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trace_configs=[tracing()],
                skip_auto_headers=("accept", "accept-encoding", "content-type", "user-agent"),
            )
        return self._session

    def require(self, cell: Cell) -> None:
        """Refuse at once what would wait for a cell that cannot be reached. Raises CellUnreachable."""
        if self._paused_until_s and time.monotonic() < self._paused_until_s.get(cell.name, 0.0):
            raise CellUnreachable(cell)

    def failed(self, cell: Cell, error: Exception) -> None:
        if cell.name not in self._paused_until_s:
            log.warning("cell_unreachable", cell=cell.name, url=cell.url, error=str(error))
        self._paused_until_s[cell.name] = time.monotonic() + PAUSE_S

    def answered(self, cell: Cell) -> None:
        if self._paused_until_s and self._paused_until_s.pop(cell.name, None) is not None:
            log.info("cell_reached", cell=cell.name)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()


def _socket(address: Any) -> socket.socket:
    """Make a socket that notices a silent cut, and sends small parts at once."""
    family, kind, protocol, _, _ = address
    made = socket.socket(family, kind, protocol)
    made.setblocking(False)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_KEEPIDLE", 5),
        ("TCP_KEEPINTVL", 2),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", SILENT_MS),
    ):
        if hasattr(socket, option):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    return made
