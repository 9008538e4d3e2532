"""Reads which public hosts are the operator's own."""

import re
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network

Network = IPv4Network | IPv6Network
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")


class NotAHost(ValueError):
    """The message is the entry."""


def read_own_hosts(entries: Iterable[str]) -> frozenset[str | Network]:
    """Return names in lower case, and addresses as networks; raise NotAHost for what is neither."""
    return frozenset(_read(entry) for entry in entries)


def _read(entry: str) -> str | Network:
    try:
        return ip_network(entry)
    except ValueError:
        name = entry.lower()
    # A name that ends in digits is a mistyped address: no top level does.
    if not _NAME.fullmatch(name) or name.rpartition(".")[2].isdigit():
        raise NotAHost(entry)
    return name
