"""Which addresses are of the public internet: a table of our own, since Python's `is_global` lets tunnels through."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

_NOT_PUBLIC_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this host, on Linux
        "10.0.0.0/8",
        "100.64.0.0/10",  # carriers' own; a cloud's metadata lies in it too
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's platform service, on every one of its machines
        "169.254.0.0/16",  # link-local, and clouds' metadata
        "172.16.0.0/12",
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnels
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_UNICAST_V6 = IPv6Network("2000::/3")
"""All that is outside of it is local, reserved, multicast, or a wrapping of IPv4."""
_NOT_PUBLIC_V6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID, AS112, …
        "2001:db8::/32",  # documentation
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")
_ISATAP = {0x0000_5EFE, 0x0200_5EFE}
"""The upper half of an interface's identifier, before the IPv4 address that the packet is for."""


def is_public(address: Address) -> bool:
    """Whether whatever answers there is on the internet.

    What a mapped, a NAT64 or a 6to4 address wraps decides. Of the other wrappings none is public, whatever is in them:
    compatible addresses and Teredo are of no use to a server, and where in 64:ff9b:1::/48 the inner address stands
    only that network knows.
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_V4)
    if (inner := _wrapped(address)) is not None:
        return is_public(inner)
    if address not in _UNICAST_V6 or any(address in network for network in _NOT_PUBLIC_V6):
        return False
    return (tunnelled := _isatap(address)) is None or is_public(tunnelled)


def is_loopback(address: Address) -> bool:
    """This machine itself, as the development switch means it: mapped loopback too."""
    if isinstance(address, IPv6Address) and address in _MAPPED:
        return IPv4Address(int(address) & 0xFFFF_FFFF).is_loopback
    return address.is_loopback


def inner(address: Address) -> Address:
    """The address that a wrapped one leads to, else the address itself."""
    return address if isinstance(address, IPv4Address) else _wrapped(address) or address


def _wrapped(address: IPv6Address) -> IPv4Address | None:
    if address in _MAPPED or address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    if address in _6TO4:
        return IPv4Address(int(address) >> 80 & 0xFFFF_FFFF)
    return None


def _isatap(address: IPv6Address) -> IPv4Address | None:
    if (int(address) >> 32 & 0xFFFF_FFFF) not in _ISATAP:
        return None
    return IPv4Address(int(address) & 0xFFFF_FFFF)
