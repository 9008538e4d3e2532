"""The client IP of a request, as far as it can be known. Pure."""

import re
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

HOUSEHOLD_BITS = 64
"""The prefix length of the smallest network that an IPv6 customer gets, any address of which they may use."""
UNKNOWN = "unknown"
"""The single value for everything that is not an address, so that invented texts do not count as new client IPs."""
_WITH_PORT = re.compile(r"\[([^\]]*)\](?::\d+)?|([^:]*):\d+", re.ASCII)
"""An address of either kind with the port of its connection, as some proxies write it, or only in brackets."""


def client_address(environ: Mapping[str, Any], proxies: int) -> str:
    """Return the client IP: with `proxies` in front, what the outermost saw, as entries further left are claims.

    If the header is missing or too short, the request did not come through all of them.
    """
    peer = str(environ.get("REMOTE_ADDR", ""))
    addresses = [part.strip() for part in str(environ.get("HTTP_X_FORWARDED_FOR", "")).split(",") if part.strip()]
    return addresses[-proxies] if 0 < proxies <= len(addresses) else peer


def address_of(written: str) -> str:
    """Return the address itself, without a port, or UNKNOWN if the text is not an address."""
    found = _read(written)
    return UNKNOWN if found is None else str(found)


def place_of(address: str) -> str:
    """Return the part of an address that a caller cannot leave: for IPv6, the smallest usual network."""
    found = _read(address)
    if found is None:
        return UNKNOWN
    if isinstance(found, IPv4Address):
        return str(found)
    return str(IPv6Network((int(found), HOUSEHOLD_BITS), strict=False))


def _read(written: str) -> IPv4Address | IPv6Address | None:
    """Parse an address, or return None. An IPv4 address in IPv6 notation is returned as IPv4."""
    try:
        found = ip_address(_without_port(written.strip().strip('"')))
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


def _without_port(written: str) -> str:
    """Remove the port, if there is one. For IPv6, only the part after the brackets is a port."""
    found = _WITH_PORT.fullmatch(written)
    return written if found is None else found[1] or found[2] or ""
