"""Says in which cell a request belongs, from its key or ticket alone. Pure."""

from dataclasses import dataclass
from urllib.parse import parse_qs

from maas.web.guard.refusals import is_api
from tenants.api_keys.format import parse_key
from tenants.cells.forwarded import HEADER
from tenants.cells.tickets import cell_of_ticket
from tenants.core.asgi.protocol import Scope, bearer, header

HERE = ""
_KEY_START = "maas_"
HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
        b"http2-settings",
    }
)
_NOT_PASSED_ON = HOP_BY_HOP | {
    b"host",
    b"cookie",
    b"expect",
    b"forwarded",
    b"x-real-ip",
    b"x-request-id",
    HEADER,
}
"""Request headers that are between the caller and this cell. Cookies belong to this cell's own address."""
_NOT_GIVEN_BACK = HOP_BY_HOP | {b"set-cookie"}


@dataclass(frozen=True, slots=True)
class Home:
    """The cell that a request belongs to, and the credential that says so."""

    cell: str
    credential: bytes
    share: str
    """Whose share of the forwarding it takes: the visible part of the key."""


def foreign_home(scope: Scope, own: str) -> Home | None:
    """Return the home of a request that belongs to another cell, whether or not this is known. None is here."""
    text = bearer(scope)
    if text is not None:
        if not text.startswith(_KEY_START) or text.count("_") != 4 or text.split("_", 3)[2] == own:
            return None
        parts = parse_key(text) if is_api(scope["path"]) else None
        return None if parts is None else Home(parts.cell, text.encode("latin-1", "replace"), parts.prefix)
    if scope["type"] == "websocket" and b"ticket=" in scope["query_string"]:
        ticket = ticket_of(scope)
        cell = cell_of_ticket(ticket)
        return Home(cell, ticket.encode("latin-1", "replace"), cell) if cell not in ("", own) else None
    return None


def ticket_of(scope: Scope) -> str:
    given: list[str] = parse_qs(bytes(scope["query_string"]).decode("latin-1")).get("ticket", [""])
    return given[0]


def credential_of(scope: Scope) -> bytes:
    """Return the credential that the header of another cell must have been signed with."""
    return (bearer(scope) or ticket_of(scope)).encode("latin-1", "replace")


def request_headers(scope: Scope) -> list[tuple[str, str]]:
    """Return the headers to pass on to the home cell."""
    named = _named_by_connection(scope)
    if header(scope, b"transfer-encoding") is not None:
        # The body comes in chunks and goes on in chunks: a length beside them says nothing (RFC 9112, 6.3).
        named |= {b"content-length"}
    return [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in ((bytes(name).lower(), bytes(value)) for name, value in scope["headers"])
        if name not in _NOT_PASSED_ON
        and not name.startswith((b"x-forwarded-", b"sec-websocket-"))
        and name not in named
    ]


def _named_by_connection(scope: Scope) -> frozenset[bytes]:
    named = header(scope, b"connection")
    return frozenset(part.strip().lower().encode() for part in named.split(",")) if named else frozenset()


def response_headers(raw: "tuple[tuple[bytes, bytes], ...]") -> list[tuple[bytes, bytes]]:
    return [(name.lower(), value) for name, value in raw if name.lower() not in _NOT_GIVEN_BACK]


def target_of(scope: Scope) -> str:
    """Return path and query exactly as they were sent."""
    path = bytes(scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0].decode("latin-1")
    query = bytes(scope["query_string"]).decode("latin-1")
    return f"{path}?{query}" if query else path
