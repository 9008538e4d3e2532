"""One request over an open connection, and its response within limits."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse
from io import BytesIO
from typing import BinaryIO

from tenants.core.http_client.errors import EgressFailed, EgressRefused
from tenants.core.http_client.urls import Target
from tenants.core.http_client.wire import Wire

PIECE_BYTES = 64 * 2**10
WORDS_BYTES = 64 * 2**10
"""The most bytes of a body that only explains a status."""
USER_AGENT = "maas"
FRAMES_PER_BYTE = 8
"""The most bytes transferred for each byte of a body. A chunk of a single byte has five more around it."""
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
_OWN_HEADERS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]{0,8192}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Outbound:
    """An outgoing request."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to an outgoing request."""

    status: int
    headers: Mapping[str, str]
    """The headers by lower-case name. Values of a repeated name are joined with commas."""
    body: bytes = field(repr=False)
    took_s: float = 0.0
    """The time in seconds, including the look-up of the name."""
    whole: bool = True
    """A flag that is false if the body is incomplete: it was not read, was cut off or was too long."""
    is_own: bool = False
    """A flag that is true if the response came from a host of the operator, so that a tenant must not see its body."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The limits on the time and the bytes that one request to another server may take."""

    connect_s: float = 5.0
    """The timeout in seconds for the look-up of the name, and the same again for connecting, TLS included."""
    total_s: float = 15.0
    header_bytes: int = 32 * 2**10
    body_bytes: int = 64 * 2**10
    needs_body: bool = False
    """A flag that is true if the response is useless without its body. If it is false, a response whose body cannot be
    read completely counts by its status alone.
    """


def check(outbound: Outbound) -> None:
    """Check a request before any look-up. Raises EgressRefused."""
    if outbound.method not in _METHODS:
        raise EgressRefused("request_not_allowed", f"The method '{outbound.method[:20]}' is not allowed.")
    for name, value in outbound.headers.items():
        if name.lower() in _OWN_HEADERS or name.lower().startswith("proxy-"):
            raise EgressRefused("request_not_allowed", f"The header '{name}' cannot be set.")
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise EgressRefused(
                "request_not_allowed", f"The header '{name[:80]}' contains characters that are not allowed."
            )


def ask(wire: Wire, outbound: Outbound, target: Target, caps: Caps, file: BinaryIO | None) -> Answer:
    """Send a request and return the response. Raises EgressFailed if the other side violates HTTP or the limits."""
    with _faults():
        connection = HTTPConnection(target.authority)
        connection.sock = wire
        connection.request(outbound.method, target.path, outbound.body or None, _headers(outbound, target))
        response = connection.getresponse()
    if response.status < 200:
        raise EgressFailed("answer_invalid", f"The response status {response.status} is not a final status.")
    wire.allow(FRAMES_PER_BYTE * caps.body_bytes)
    wanted = caps.needs_body and response.status == 200
    sink = file if file is not None and wanted else BytesIO()
    max_bytes = caps.body_bytes if wanted else min(caps.body_bytes, WORDS_BYTES)
    whole = _take_body(response, sink, max_bytes, is_wanted=wanted)
    body = sink.getvalue() if isinstance(sink, BytesIO) and sink is not file else b""
    return Answer(response.status, _named(response), body, whole=whole)


def _headers(outbound: Outbound, target: Target) -> dict[str, str]:
    own = {
        "Host": target.authority,
        "Accept-Encoding": "identity",  # a body that is not compressed cannot grow
        "Connection": "close",
    }
    named = {name.lower() for name in outbound.headers}
    return own | ({} if "user-agent" in named else {"User-Agent": USER_AGENT}) | dict(outbound.headers)


@contextmanager
def _faults() -> Iterator[None]:
    """Convert the libraries' errors about the other side, but not those of the caller's file, into EgressFailed."""
    try:
        yield
    except TimeoutError as error:
        raise EgressFailed("answer_timeout", "The response did not arrive in time.") from error
    except OSError as error:
        raise EgressFailed("connection_failed", "The connection was closed before the response arrived.") from error
    except (HTTPException, ValueError) as error:
        raise EgressFailed("answer_invalid", f"The response is not HTTP/1.1: {type(error).__name__}.") from error


def _take_body(response: HTTPResponse, sink: BinaryIO, max_bytes: int, *, is_wanted: bool) -> bool:
    """Copy the body, and return whether the sink has all of it. If it is wanted, anything else raises EgressFailed."""
    try:
        if _is_encoded(response):
            raise EgressFailed("answer_invalid", "The response is compressed although no compression was requested.")
        if is_wanted and (response.length or 0) > max_bytes:
            raise _too_large(max_bytes)
        return _take_all(response, sink, max_bytes)
    except EgressFailed:
        # Otherwise the status has arrived, and only the status was requested.
        if is_wanted:
            raise
        return False


def _take_all(response: HTTPResponse, sink: BinaryIO, max_bytes: int) -> bool:
    got = 0
    while piece := _next_piece(response):
        sink.write(piece[: max_bytes - got])
        got += len(piece)
        if got > max_bytes:
            raise _too_large(max_bytes)
    if response.length:
        raise EgressFailed("answer_invalid", f"The response is {response.length} bytes too short.")
    return True


def _next_piece(response: HTTPResponse) -> bytes:
    """Read the bytes that are available. A read of a fixed size would trust the chunk size that the other side sent."""
    with _faults():
        return response.read1(PIECE_BYTES)


def _too_large(max_bytes: int) -> EgressFailed:
    return EgressFailed("answer_too_large", f"The response is larger than {max_bytes} bytes.")


def _is_encoded(response: HTTPResponse) -> bool:
    content = (response.headers.get("content-encoding") or "identity").strip().lower()
    transfer = (response.headers.get("transfer-encoding") or "chunked").strip().lower()
    return content != "identity" or transfer != "chunked"


def _named(response: HTTPResponse) -> dict[str, str]:
    """Return the headers, each value in a single line, because it may be shown and stored."""
    found: dict[str, str] = {}
    for name, value in response.headers.items():
        key, text = name.lower(), " ".join(_CONTROL.sub(" ", value).split())
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found
