"""The addresses of the public internet, in a table of our own, since Python's `is_global` accepts tunnels."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

_NOT_PUBLIC_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this host, on Linux
        "10.0.0.0/8",
        "100.64.0.0/10",  # networks of carriers; it contains a cloud's metadata too
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's platform service, on each of its machines
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
"""The public unicast addresses. All others are local, reserved, multicast, or a wrapping of IPv4."""
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
"""The upper half of an interface's identifier. The IPv4 address of the packet's destination follows it."""


def is_public(address: Address) -> bool:
    """Return whether a host at an address is on the public internet. For mapped, NAT64 and 6to4 the inner one decides.

    No other wrapping counts as public: compatible addresses and Teredo are of no use to a server, and only the network
    that uses 64:ff9b:1::/48 knows where the inner address is in it.
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_V4)
    if (inner := _wrapped(address)) is not None:
        return is_public(inner)
    if address not in _UNICAST_V6 or any(address in network for network in _NOT_PUBLIC_V6):
        return False
    return (tunneled := _isatap(address)) is None or is_public(tunneled)


def is_loopback(address: Address) -> bool:
    """Return whether an address is this machine itself, for the development switch. This includes mapped loopback."""
    if isinstance(address, IPv6Address) and address in _MAPPED:
        return IPv4Address(int(address) & 0xFFFF_FFFF).is_loopback
    return address.is_loopback


def inner(address: Address) -> Address:
    """Return the address that a wrapped address leads to, or the address itself."""
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
