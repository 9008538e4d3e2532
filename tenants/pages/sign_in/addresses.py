"""Where a request comes from, as far as it can be known: pure."""

from collections.abc import Mapping
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any

HOUSEHOLD_BITS = 64
"""What one line of an IPv6 provider is given at least; whoever has it may use any address in it."""


def client_address(environ: Mapping[str, Any], proxies: int) -> str:
    """With `proxies` in front, the address that the outermost of them saw; what callers claim further left is theirs.

    A header that is missing or too short means that the request did not come through all of them.
    """
    peer = str(environ.get("REMOTE_ADDR", ""))
    told = [part.strip() for part in str(environ.get("HTTP_X_FORWARDED_FOR", "")).split(",") if part.strip()]
    return told[-proxies] if 0 < proxies <= len(told) else peer


def place_of(address: str) -> str:
    """What one caller cannot leave by taking another address: all of an IPv6 network of the smallest usual size."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), HOUSEHOLD_BITS), strict=False))
