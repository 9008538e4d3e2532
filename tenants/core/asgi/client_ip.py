"""Where a request comes from, as far as it can be known: pure."""

import re
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

HOUSEHOLD_BITS = 64
"""What one line of an IPv6 provider is given at least; whoever has it may use any address in it."""
UNKNOWN = "unknown"
"""The one place of all that is no address: to make up another makes no other place."""
_WITH_PORT = re.compile(r"\[([^\]]*)\](?::\d+)?|([^:]*):\d+", re.ASCII)
"""An address of either kind with the port of its connection, as some proxies write it, or in brackets alone."""


def client_address(environ: Mapping[str, Any], proxies: int) -> str:
    """With `proxies` in front, the address that the outermost of them saw; what callers claim further left is theirs.

    A header that is missing or too short means that the request did not come through all of them.
    """
    peer = str(environ.get("REMOTE_ADDR", ""))
    told = [part.strip() for part in str(environ.get("HTTP_X_FORWARDED_FOR", "")).split(",") if part.strip()]
    return told[-proxies] if 0 < proxies <= len(told) else peer


def address_of(written: str) -> str:
    """The address itself, without a port; UNKNOWN where it is none."""
    found = _read(written)
    return UNKNOWN if found is None else str(found)


def place_of(address: str) -> str:
    """What one caller cannot leave by taking another address: all of an IPv6 network of the smallest usual size."""
    found = _read(address)
    if found is None:
        return UNKNOWN
    if isinstance(found, IPv4Address):
        return str(found)
    return str(IPv6Network((int(found), HOUSEHOLD_BITS), strict=False))


def _read(written: str) -> IPv4Address | IPv6Address | None:
    """An IPv4 address that is written as one of IPv6 is the IPv4 address. None for what is no address."""
    try:
        found = ip_address(_without_port(written.strip().strip('"')))
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


def _without_port(written: str) -> str:
    """As it is where there is none; of IPv6, only what stands behind brackets is a port."""
    found = _WITH_PORT.fullmatch(written)
    return written if found is None else found[1] or found[2] or ""
