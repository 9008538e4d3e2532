"""Requests from one cell to another, with limits on time and size. A cell that is cut off holds up nothing for long."""

import http.client
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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


def read(cells: Cells, cell: Cell, path: str, *, headers: Mapping[str, str] | None = None) -> Answer:
    """Read a small thing of another cell. Raises CellAway."""
    deadline_s = time.monotonic() + TOTAL_S
    with _answer(cells, cell, path, headers or {}) as response:
        body = b"".join(_pieces(response, MAX_BYTES, deadline_s))
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, body)


def read_to(cells: Cells, cell: Cell, path: str, into: BinaryIO, *, size_bytes: int) -> None:
    """Write a file of another cell of this size while it arrives. Raises CellAway."""
    deadline_s = time.monotonic() + TOTAL_S + size_bytes / SLOWEST_BYTES_PER_S
    with _answer(cells, cell, path, {}) as response:
        if response.status != http.client.OK:
            raise CellAway(f"{path} is answered with {response.status}.")
        written = 0
        for piece in _pieces(response, size_bytes, deadline_s):
            written += len(piece)
            into.write(piece)
    if written != size_bytes:
        raise CellAway(f"{path} has {written} bytes instead of {size_bytes}.")


@contextmanager
def _answer(cells: Cells, cell: Cell, path: str, headers: Mapping[str, str]) -> Iterator[http.client.HTTPResponse]:
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
        connection.request("GET", path, headers={"Authorization": credentials, "User-Agent": "maas-cell", **headers})
        yield connection.getresponse()
    except (OSError, http.client.HTTPException) as error:
        raise CellAway(f"{cell.url}: {str(error) or type(error).__name__}") from error
    finally:
        connection.close()


def _pieces(response: http.client.HTTPResponse, max_bytes: int, deadline_s: float) -> Iterator[bytes]:
    left = max_bytes
    while piece := response.read1(_PIECE_BYTES):
        left -= len(piece)
        if left < 0:
            raise CellAway(f"The answer has more than {max_bytes} bytes.")
        if time.monotonic() > deadline_s:
            raise CellAway("The answer takes too long to arrive.")
        yield piece
    if response.length:
        raise CellAway(f"The answer broke off {response.length} bytes before its end.")


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()
