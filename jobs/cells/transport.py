"""Requests from one cell to another, with limits on time and size. A cell that is cut off holds up nothing for long."""

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import BinaryIO
from urllib.parse import urlsplit

from jobs.cells.errors import CellAway
from tenants.cells.cells import Cell, Cells
from tenants.cells.reads import read_credentials

TIMEOUT_S = 4.0
"""Seconds without a byte after which a cell counts as away."""
TOTAL_S = 15.0
MAX_BYTES = 64 * 2**20
"""The most bytes of a document."""
SLOWEST_BYTES_PER_S = 64 * 2**10
"""The pace below which the file of a model is given up."""
_PIECE_BYTES = 256 * 2**10


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


def read(
    cells: Cells, cell: Cell, path: str, *, headers: Mapping[str, str] | None = None, max_bytes: int = MAX_BYTES
) -> Answer:
    """Read a small thing of another cell. Raises CellAway."""
    deadline_s = time.monotonic() + TOTAL_S
    with _answer(cells, cell, path, headers or {}, deadline_s) as response:
        body = b"".join(_pieces(response, max_bytes, deadline_s))
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, body)


def read_to(cells: Cells, cell: Cell, path: str, into: BinaryIO, *, size_bytes: int) -> None:
    """Write a file of another cell of this size while it arrives. Raises CellAway."""
    deadline_s = time.monotonic() + TOTAL_S + size_bytes / SLOWEST_BYTES_PER_S
    with _answer(cells, cell, path, {}, deadline_s) as response:
        if response.status != http.client.OK:
            raise CellAway(f"{path} is answered with {response.status}.")
        written = 0
        for piece in _pieces(response, size_bytes, deadline_s):
            written += len(piece)
            into.write(piece)
    if written != size_bytes:
        raise CellAway(f"{path} has {written} bytes instead of {size_bytes}.")


@contextmanager
def _answer(
    cells: Cells, cell: Cell, path: str, headers: Mapping[str, str], deadline_s: float
) -> Iterator[http.client.HTTPResponse]:
    parts = urlsplit(cell.url)
    host = parts.hostname or ""
    if parts.scheme == "https":
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, parts.port, timeout=TIMEOUT_S, context=_trusted()
        )
    else:
        connection = http.client.HTTPConnection(host, parts.port, timeout=TIMEOUT_S)
    credentials = read_credentials(cells, cell.name, path, time.time())
    try:
        connection.connect()
        with _closed_at(deadline_s, connection.sock):
            sent = {"Authorization": credentials, "User-Agent": "maas-cell", **headers}
            connection.request("GET", path, headers=sent)
            response = connection.getresponse()
            _refuse_late(deadline_s)
            yield response
    except (OSError, ValueError, http.client.HTTPException) as error:
        _refuse_late(deadline_s)
        raise CellAway(f"{cell.url}: {str(error) or type(error).__name__}") from error
    finally:
        connection.close()


def _pieces(response: http.client.HTTPResponse, max_bytes: int, deadline_s: float) -> Iterator[bytes]:
    left = max_bytes
    while piece := response.read1(_PIECE_BYTES):
        left -= len(piece)
        if left < 0:
            raise CellAway(f"The answer has more than {max_bytes} bytes.")
        _refuse_late(deadline_s)
        yield piece
    _refuse_late(deadline_s)
    if response.length:
        raise CellAway(f"The answer broke off {response.length} bytes before its end.")


@contextmanager
def _closed_at(deadline_s: float, connection: socket.socket) -> Iterator[None]:
    """Close the connection at the deadline. Each byte begins the timeout anew, of headers too, so it bounds nothing."""

    def close() -> None:
        with suppress(OSError):
            # SSLSocket.shutdown would take the encryption away from a read in progress.
            socket.socket.shutdown(connection, socket.SHUT_RDWR)

    timer = threading.Timer(max(0.0, deadline_s - time.monotonic()), close)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _refuse_late(deadline_s: float) -> None:
    """Refuse what is there after the deadline: it may have been cut off. Raises CellAway."""
    if time.monotonic() >= deadline_s:
        raise CellAway("The answer takes too long to arrive.")


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()
