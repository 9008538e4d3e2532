"""The restrictions of a key to some models and some networks. Pure."""

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

MOST = 50
LONGEST_MODEL = 100
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
Network = IPv4Network | IPv6Network


class InvalidRestriction(ValueError):
    """A wrong value in a key restriction. The message says which value is wrong and what would be right."""


def checked_models(names: Iterable[str]) -> list[str]:
    """Return the names in their order, without repetitions. Raises InvalidRestriction."""
    wanted = list(dict.fromkeys(name.strip() for name in names if name.strip()))
    _require_few(wanted, "models")
    for name in wanted:
        if "@" in name:
            raise InvalidRestriction(f"Enter the model name without a version: {name.partition('@')[0][:60]}.")
        if len(name) > LONGEST_MODEL or _MODEL.fullmatch(name) is None:
            raise InvalidRestriction(f"{name[:60]!r} is not a valid model name.")
    return wanted


def checked_networks(written: Iterable[str]) -> list[str]:
    """Return the networks in their usual notation, without repetitions. Raises InvalidRestriction."""
    wanted = list(dict.fromkeys(str(_network(text.strip())) for text in written if text.strip()))
    _require_few(wanted, "networks")
    return wanted


def _network(text: str) -> Network:
    try:
        network = ip_network(text, strict=False)
        host = ip_address(text.partition("/")[0])
    except ValueError:
        raise InvalidRestriction(
            f"{text[:60]!r} is not an IP address or network. Use 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32."
        ) from None
    if network.prefixlen == 0:
        raise InvalidRestriction(f"{text[:60]} allows all addresses. Leave the list empty to allow all addresses.")
    if host != network.network_address:
        raise InvalidRestriction(f"{text[:60]} has bits set beyond its prefix length. Did you mean {network}?")
    if isinstance(network, IPv6Network) and network.network_address.ipv4_mapped is not None:
        raise InvalidRestriction(f"Enter {text[:60]} as an IPv4 network.")
    return network


def _require_few(wanted: Sequence[str], what: str) -> None:
    if len(wanted) > MOST:
        raise InvalidRestriction(f"A key can be restricted to at most {MOST} {what}. You entered {len(wanted)}.")
