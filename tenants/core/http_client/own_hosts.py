"""Reads the list of public hosts that belong to the operator."""

import re
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network

Network = IPv4Network | IPv6Network
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")


class NotAHost(ValueError):
    """An entry that is not a host. The message is the entry."""


def read_own_hosts(entries: Iterable[str]) -> frozenset[str | Network]:
    """Return names in lower case, and addresses as networks. Raises NotAHost for anything else."""
    return frozenset(_read(entry) for entry in entries)


def _read(entry: str) -> str | Network:
    try:
        return ip_network(entry)
    except ValueError:
        name = entry.lower()
    # A name that ends in digits is a mistyped address, because no top-level domain ends in digits.
    if not _NAME.fullmatch(name) or name.rpartition(".")[2].isdigit():
        raise NotAHost(entry)
    return name
