"""Builds the ASGI scope of a gRPC call: that of the HTTP request that it is on the wire."""

from collections.abc import Iterable
from urllib.parse import unquote

from inference.gateway.gateway import OVER_GRPC
from tenants.core.asgi.protocol import Scope

Metadata = Iterable[tuple[str, str | bytes]]


def scope_of(path: str, metadata: Metadata, peer: str, *, has_message: bool) -> Scope:
    """Return the scope. `has_message` means that a message is still to be read; without one, the caller need not be
    known before.
    """
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "2",
        "method": "POST" if has_message else "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [
            (name.encode(), value.encode("latin-1", "replace") if isinstance(value, str) else value)
            for name, value in metadata
        ],
        "client": client_of(peer),
        "server": None,
        OVER_GRPC: True,
    }


def client_of(peer: str) -> tuple[str, int] | None:
    """Return client IP and port from a text like `ipv4:127.0.0.1:4711` or `ipv6:%5B::1%5D:4711`."""
    family, _, place = unquote(peer).partition(":")
    host, _, port = place.rpartition(":")
    if family not in {"ipv4", "ipv6"} or not port.isdecimal():
        return None
    return host.strip("[]"), int(port)
