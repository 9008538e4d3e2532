"""Decides whether an address lies in one of the networks that a key is restricted to. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network


def may_come_from(networks: Sequence[str], address: str) -> bool:
    """Return whether a key may be used from an address: any if there are no networks, otherwise one in them."""
    if not networks:
        return True
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return any(found in network for network in _read(tuple(networks)))


@lru_cache(4096)
def _read(networks: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(network) for network in networks)
