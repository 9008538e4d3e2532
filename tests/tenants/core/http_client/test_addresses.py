"""Tests of the table of public addresses, against the registries and against notations that wrap one address in
another.
"""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.core.http_client.addresses import is_loopback, is_public


def listed(words: str) -> list[str]:
    return words.split()


IPV4_REGISTRY = listed(
    """
    0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29
    192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24
    192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
    255.255.255.255/32 224.0.0.0/4
    """
)
"""IANA's special-purpose registry, and multicast, which has one of its own."""
IPV6_REGISTRY = listed(
    """
    ::1/128 ::/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128 2001:1::2/128
    2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32
    2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8 ::/96 ::ffff:0:0:0/96
    """
)
"""The same for IPv6, including what is deprecated. Prefixes for which the inner address decides are tested below."""
NOT_PUBLIC = listed(
    """
    127.0.0.1 127.1.2.3 0.0.0.0 10.1.2.3 192.168.1.1 172.31.255.255 169.254.169.254 100.100.100.200 192.0.0.192
    168.63.129.16 224.0.0.1 255.255.255.255 192.0.0.8
    :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
    64:ff9b:1::7f00:1 64:ff9b:1::808:808 64:ff9b:1:808:8:800:: 2002:7f00:1:: 2002:a9fe:a9fe::1 2002:c0a8:101::
    2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:0:7f00:1::1 fec0::1 fe80::1 fd00:ec2::254 fd20:ce::254 ff02::1
    2600::5efe:7f00:1 2600::200:5efe:a00:1 4000::1 100::1
    """
)
PUBLIC = listed(
    """
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
    169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
    223.255.255.255 168.63.129.15 2606:4700:4700::1111 2001:200::1 2001:4860:4860::8888 2a00:1450:4001:80b::200e
    ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 2600::5efe:808:808
    """
)

IPV4 = st.integers(0, 2**32 - 1)
IPV6 = st.integers(0, 2**128 - 1) | st.integers(0x2000 << 112, (0x4000 << 112) - 1)


@pytest.mark.parametrize("network", [*IPV4_REGISTRY, *IPV6_REGISTRY])
def test_nothing_that_a_registry_sets_aside_is_public(network: str) -> None:
    block = ip_network(network)
    for offset in (0, 1, block.num_addresses // 3, block.num_addresses // 2, block.num_addresses - 1):
        assert not is_public(block[min(offset, block.num_addresses - 1)])


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_what_is_somebodys_own_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_what_lies_beside_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@given(IPV4)
def test_the_inner_address_decides_where_a_packet_reaches_it(number: int) -> None:
    inner = is_public(IPv4Address(number))
    assert is_public(IPv6Address((0xFFFF << 32) + number)) is inner
    assert is_public(IPv6Address((0x64FF9B << 96) + number)) is inner
    assert is_public(IPv6Address((0x2002 << 112) + (number << 80))) is inner
    assert is_public(IPv6Address((0x2600 << 112) + (0x5EFE << 32) + number)) is inner


@given(IPV4)
def test_no_other_wrapping_is_public(number: int) -> None:
    for prefix in ("::", "::ffff:0:0:0", "64:ff9b:1::", "2001::"):
        assert not is_public(IPv6Address(int(IPv6Address(prefix)) + number))


@given(IPV4.map(IPv4Address) | IPV6.map(IPv6Address))
def test_whatever_python_knows_to_be_private_is_not_public(address: IPv4Address | IPv6Address) -> None:
    if address.is_private or address.is_multicast or address.is_reserved or address.is_link_local:
        assert not is_public(address) or int(address) >> 32 in {0xFFFF, 0x64FF9B << 64}


@given(IPV4.map(IPv4Address) | IPV6.map(IPv6Address))
def test_what_is_loopback_is_not_public(address: IPv4Address | IPv6Address) -> None:
    assert not (is_loopback(address) and is_public(address))


def test_loopback_is_this_machine_in_each_of_its_spellings() -> None:
    assert all(is_loopback(ip_address(one)) for one in ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"))
    assert not any(is_loopback(ip_address(one)) for one in ("10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "::"))
