"""Tests of what a URL may contain, and that no URL can be read in two ways."""

import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tenants.core.http_client.errors import EgressRefused
from tenants.core.http_client.urls import LONGEST_URL, Rules, Target, is_local, read_url

RULES = Rules()
AT_HOME = Rules(loopback=True)
REFUSED = [
    "",
    "hooks.example.com",
    "//hooks.example.com/",
    "https:hooks.example.com",
    "https:///path",
    "https://",
    "https://:443/",
    "http://hooks.example.com/",
    "ftp://hooks.example.com/",
    "file:///etc/passwd",
    "gopher://hooks.example.com/",
    "unix:///run/redis.sock",
    "javascript://hooks.example.com/%0aalert(1)",
    # The following can be read in two ways.
    "http://example.com:80@127.0.0.1:6379/",
    "https://example.com@127.0.0.1/",
    "https://user:password@example.com/",
    "https://127.0.0.1\\@example.com/",
    "https://example.com\\@127.0.0.1/",
    "https://example.com#@127.0.0.1/",
    "https://example.com/#",
    "https://example.com/#fragment",
    "https://exa\tmple.com/",
    "https://exam\nple.com/",
    "https://example.com/\r\nX-Injected: 1",
    " https://example.com/",
    "https://example.com/ ",
    "https://example.com/a b",
    "https://example.com\x00.internal/",
    "https://example.com%00.a.org/",
    "https://example.com%2f@127.0.0.1/",
    "https://[::1]example.com/",
    "https://example.com[::1]/",
    "https://[example.com]/",
    "https://[::1/",
    "https://::1/",
    "https://example.com:443:443/",
    "https://example.com:/../",
    "https://example.com:+443/",
    "https://example.com:4_43/",
    "https://example.com:٤٤٣/",
    "https://example..com/",
    "https://.example.com/",
    "https://-a.example.com/",
    "https://example.com./",
    "https://" + "a" * 64 + ".example.com/",
    "https://" + "a." * 127 + "com/",
    "https://example.com/" + "a" * LONGEST_URL,
    "https://example.com/ü",
    "https://example.com/?q=ü",
    # The following have a port that is not allowed.
    "https://example.com:22/",
    "https://example.com:80/",
    "https://example.com:6379/",
    "https://example.com:0/",
    "https://example.com:65536/",
    "https://example.com:65979/",
    "https://example.com:999999/",
    # The following are addresses in another notation.
    "https://127.0.0.1/",
    "https://127.1/",
    "https://127.0.0.1./",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0X7F.1/",
    "https://0x7f.1/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://127.0.0.01/",
    "https://127.0.0.0x1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://1.2.3/",
    "https://1.2.3.4.5/",
    "https://256.1.1.1/",
    "https://8.8.8.8./",
    "https://010.8.8.8/",
    "https://①②⑦.⓪.⓪.①/",
    "https://１２７.0.0.1/",
    "https://127。0。0。1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://100.100.100.200/",
    "https://10.0.0.1/",
    "https://224.0.0.1/",
    "https://[::]/",
    "https://[::1]/",
    "https://[::127.0.0.1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[0:0:0:0:0:ffff:7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b:1::808:808]/",
    "https://[2002:7f00:1::]/",
    "https://[fec0::1]/",
    "https://[fe80::1%eth0]/",
    "https://[fe80::1%25eth0]/",
    "https://[2606:4700::1111%25lo]/",
    "https://[fd00:ec2::254]/",
    # The following are names within a private network.
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost.localdomain/",
    "https://redis/",
    "https://metadata.google.internal/",
    "https://redis.default.svc.cluster.local/",
    "https://printer.lan/",
    "https://1.0.0.127.in-addr.arpa/",
    # The following can be read as two names.
    "https://straße.example.com/",
    "https://ﬁnance.example.com/",
    "https://ex‍ample.com/",
    "https://exam­ple.com/",
    "https://BÜCHER。example.com/",
]
ACCEPTED = {
    "https://example.com": ("example.com", 443, "/"),
    "https://example.com?a=1": ("example.com", 443, "/?a=1"),
    "HTTPS://Hooks.Example.COM:8443/in/%20?x=/&y=:@": None,
    "https://hooks.example.com:8443/a?b=http://127.0.0.1/": (
        "hooks.example.com",
        8443,
        "/a?b=http://127.0.0.1/",
    ),
    "https://example.com:00443/": ("example.com", 443, "/"),
    "https://bücher.example.com/": ("xn--bcher-kva.example.com", 443, "/"),
    "https://xn--bcher-kva.example.com/": ("xn--bcher-kva.example.com", 443, "/"),
    "https://my_hook.example.com/": ("my_hook.example.com", 443, "/"),
    "https://8.8.8.8/": ("8.8.8.8", 443, "/"),
    "https://[2606:4700:0:0::1111]:8443/x": ("2606:4700::1111", 8443, "/x"),
    "https://1.2.3.4.example.com/": ("1.2.3.4.example.com", 443, "/"),
}


def accepted(url: str, rules: Rules = RULES) -> Target | None:
    try:
        return read_url(url, rules)
    except EgressRefused:
        return None


@pytest.mark.parametrize("url", REFUSED)
def test_a_url_that_leads_elsewhere_or_can_be_read_in_two_ways_is_refused(url: str) -> None:
    with pytest.raises(EgressRefused, match="The URL is not allowed: ") as refused:
        read_url(url, RULES)
    assert refused.value.code == "url_not_allowed"
    assert len(refused.value.detail) < 250


@pytest.mark.parametrize("url", [url for url in REFUSED if "127.0.0.1" not in url and "[::1]" not in url])
def test_the_development_switch_lets_in_nothing_but_loopback(url: str) -> None:
    target = accepted(url, AT_HOME)
    assert target is None or is_local(target.host, target.address)


@pytest.mark.parametrize(("url", "parts"), [(url, parts) for url, parts in ACCEPTED.items() if parts])
def test_a_url_is_taken_apart(url: str, parts: tuple[str, int, str]) -> None:
    target = read_url(url, RULES)
    assert (target.host, target.port, target.path) == parts
    assert target.tls


def test_an_at_sign_in_the_path_is_no_user_name() -> None:
    assert read_url("HTTPS://Hooks.Example.COM:8443/in/%20?x=/&y=:@", RULES).host == "hooks.example.com"


@pytest.mark.parametrize(
    ("url", "authority"),
    [
        ("https://example.com:443/", "example.com"),
        ("https://example.com:8443/", "example.com:8443"),
        ("https://[2606:4700::1111]:8443/", "[2606:4700::1111]:8443"),
        ("https://[2606:4700::1111]/", "[2606:4700::1111]"),
    ],
)
def test_the_host_is_named_as_http_wants_it(url: str, authority: str) -> None:
    assert read_url(url, RULES).authority == authority


@pytest.mark.parametrize(
    "url", ["http://localhost:9000/a", "http://127.0.0.1:1/", "http://[::1]:8000/", "https://localhost:5/"]
)
def test_the_development_switch_lets_in_loopback_at_any_port_and_without_tls(url: str) -> None:
    target = read_url(url, AT_HOME)
    assert is_local(target.host, target.address)
    assert accepted(url) is None


@pytest.mark.parametrize(
    "url", ["http://example.com/", "http://10.0.0.1/", "https://example.com:9000/", "https://192.168.0.1/"]
)
def test_the_development_switch_changes_nothing_for_others(url: str) -> None:
    assert accepted(url, AT_HOME) is None


def test_other_ports_can_be_allowed() -> None:
    assert read_url("https://example.com:9443/", Rules(ports=frozenset({9443}))).port == 9443
    assert accepted("https://example.com/", Rules(ports=frozenset({9443}))) is None


@given(st.text(max_size=60) | st.text("htps:/@\\[]%#?.0x17fa ①。ß", max_size=40).map("https://{}".format))
@example("https://[::ffff:8.8.8.8]/")
def test_a_url_is_read_as_others_read_it_or_refused(url: str) -> None:
    target = accepted(url)
    if target is not None:
        host = urlsplit(url).hostname
        assert host is not None
        written = ip_address(host) if target.address else host.encode("idna").decode()
        assert str(written) == target.host
        assert urlsplit(url).port in (None, target.port)


@given(st.text("0123456789abcdefxX.", min_size=1, max_size=20))
@example("0x7f.1")
@example("1.1.257")
def test_no_name_is_a_number_to_the_system(host: str) -> None:
    target = accepted(f"https://{host}/")
    try:
        number = socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return
    assert target is None or str(target.address) == number == target.host
