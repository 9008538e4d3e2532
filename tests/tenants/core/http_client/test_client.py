"""Requests to the outside, over real TLS: whom they reach, and whom they trust."""

import io
import socket
import ssl
import threading
from collections.abc import Sequence
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY

from tenants.core.http_client import client, lookup
from tenants.core.http_client.addresses import Address
from tenants.core.http_client.client import DOCUMENT_CAPS, WEBHOOK_CAPS, Client, Outbound
from tenants.core.http_client.errors import EgressFailed, EgressRefused
from tenants.core.http_client.lookup import Resolve
from tenants.core.http_client.own_hosts import read_own_hosts
from tenants.core.http_client.urls import Rules
from tests.tenants.core.http_client.conftest import certificate
from tests.tenants.core.http_client.receiver import OK
from tests.tenants.core.http_client.world import (
    ANOTHER,
    DRIP_S,
    HOST,
    PUBLIC,
    QUICK,
    Make,
    failure,
    leads_nowhere,
    post,
    refusal,
)

# The following tests show whose answer it is.


@pytest.mark.parametrize(
    ("own", "address", "is_own"),
    [
        ((), PUBLIC, False),
        ((HOST,), PUBLIC, True),
        (("example.com",), PUBLIC, True),
        (("ample.com", "other.example.com"), PUBLIC, False),
        (("93.184.216.0/24",), PUBLIC, True),
        (("93.184.217.0/24",), PUBLIC, False),
        (("93.184.216.0/24",), "64:ff9b::5db8:d822", True),
        (("2606:4700::/32",), ANOTHER, True),
    ],
)
def test_an_answer_of_the_operators_own_host_is_told_apart(own: tuple[str, ...], address: str, is_own: bool) -> None:
    assert Rules(own=read_own_hosts(own)).is_own(HOST, [ip_address(PUBLIC), ip_address(address)]) is is_own


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.0.0.1", "::ffff:127.0.0.1"])
def test_whatever_is_not_public_is_the_operators_own(address: str) -> None:
    assert Rules().is_own("localhost", [ip_address(address)])


def test_who_answered_goes_with_the_answer(world: Make) -> None:
    there = world()
    assert not there.send().is_own
    there.rules = Rules(own=read_own_hosts([HOST]))
    assert there.send().is_own


# The following tests show whom a request reaches.


def test_a_request_reaches_the_pinned_address_under_the_name(world: Make) -> None:
    here = world(b"HTTP/1.1 202 Accepted\r\nX-Two: a\r\nX-Two: b\r\nContent-Length: 2\r\n\r\nok")
    answer = here.send(post(b'{"a":1}', **{"webhook-id": "msg_1"}))
    assert (answer.status, answer.body, answer.headers["x-two"], answer.whole) == (202, b"ok", "a, b", True)
    assert here.dialled == [(PUBLIC, 443)]
    assert here.receiver.names == [HOST]
    head, _, body = here.receiver.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /in?a=1 HTTP/1.1\r\n")
    for line in (f"Host: {HOST}", "Accept-Encoding: identity", "webhook-id: msg_1", "User-Agent: maas"):
        assert f"\r\n{line}".encode() in head
    assert body == b'{"a":1}'


def test_a_name_that_changes_after_the_check_changes_nothing(world: Make) -> None:
    here = world()
    here.answers = [[PUBLIC], ["127.0.0.1"]]
    here.send()
    assert (here.looked_up, here.dialled) == ([HOST], [(PUBLIC, 443)])
    here.dialled.clear()
    assert leads_nowhere(here)


@pytest.mark.parametrize("private", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "64:ff9b::7f00:1", "fe80::1%2"])
def test_one_private_answer_among_public_ones_refuses_the_name(world: Make, private: str) -> None:
    for answers in ([PUBLIC, private], [private, PUBLIC], [PUBLIC] * 9 + [private]):
        here = world()
        here.answers = [answers]
        assert leads_nowhere(here)


def test_a_refusal_does_not_tell_where_a_name_leads(world: Make) -> None:
    here = world()
    here.answers = [["10.11.12.13"]]
    with pytest.raises(EgressFailed, match=HOST) as inside:
        here.send()
    assert "10.11" not in inside.value.detail
    here.answers = [[]]
    with pytest.raises(EgressFailed) as nowhere:
        here.send()
    assert (inside.value.code, inside.value.detail) == (nowhere.value.code, nowhere.value.detail)


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1/", "https://0x7f.1/", "http://example.com/", "https://example.com:22/"]
)
def test_a_url_against_the_rules_is_not_even_looked_up(world: Make, url: str) -> None:
    here = world()
    assert refusal(here, post(url=url)) == "url_not_allowed"
    assert here.looked_up == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_an_answer_and_is_not_followed(world: Make, status: int) -> None:
    here = world(f"HTTP/1.1 {status} Moved\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n".encode())
    answer = here.send()
    assert (answer.status, answer.headers["location"]) == (status, "http://169.254.169.254/")
    assert (len(here.dialled), len(here.looked_up)) == (1, 1)


def test_proxies_of_the_environment_are_not_asked(world: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    here, proxy = world(), world(plain=True)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.receiver.port}")
    assert here.send().status == 200
    assert proxy.receiver.requests == []


def test_the_next_address_is_tried_where_one_is_dead(world: Make) -> None:
    here = world()
    here.answers, here.dead = [[ANOTHER, PUBLIC]], {ANOTHER}
    assert here.send().status == 200
    assert [address for address, _ in here.dialled] == [ANOTHER, PUBLIC]


def test_nobody_there_is_a_failure(world: Make) -> None:
    here = world()
    here.dead = {PUBLIC}
    assert failure(here) == "connection_failed"


# Names


def until(ended: threading.Event) -> Resolve:
    def wait(_: str) -> Sequence[Address]:
        ended.wait(30)
        return []

    return wait


def test_a_name_without_an_address_is_a_failure(world: Make) -> None:
    here = world()
    here.answers = [[]]
    assert leads_nowhere(here)


def test_a_name_server_that_never_answers_is_not_waited_for(world: Make) -> None:
    asked = threading.Event()
    here = world()
    client = replace(here.client(), resolve=until(asked))
    with pytest.raises(EgressFailed) as failed:
        client.send(post(), caps=replace(WEBHOOK_CAPS, connect_s=0.05))
    asked.set()
    assert failed.value.code == "no_public_address"


def test_lookups_that_never_end_are_bounded(world: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    places = threading.BoundedSemaphore(2)
    monkeypatch.setattr(lookup, "_places", places)
    ended = threading.Event()
    here = world()
    slow = replace(here.client(), resolve=until(ended))
    for _ in range(2):
        with pytest.raises(EgressFailed, match="No public IP address"):
            slow.send(post(), caps=replace(WEBHOOK_CAPS, connect_s=0.02))
    with pytest.raises(EgressFailed, match="Too many names"):
        slow.send(post(), caps=WEBHOOK_CAPS)
    ended.set()
    # Each thread gives its place back to the semaphore that it finds at its end.
    for _ in range(2):
        assert places.acquire(timeout=60)


def test_the_system_is_asked_for_the_name_and_not_for_one_of_its_own_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def getaddrinfo(host: str, *_: object, **__: object) -> list[Any]:
        asked.append(host)
        return [(0, 0, 0, "", ("93.184.216.34", 0)), (0, 0, 0, "", ("93.184.216.34", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    assert lookup.system_addresses("redis.example.com") == [ip_address("93.184.216.34")]
    assert asked == ["redis.example.com."]


# TLS


def test_a_certificate_of_another_name_is_a_failure(world: Make, tmp_path: Path) -> None:
    here = world()
    assert failure(here, outbound=post(url="https://other.example.com/")) == "tls_failed"
    assert here.receiver.requests == []


def test_a_certificate_of_an_unknown_authority_is_a_failure(world: Make, tmp_path: Path) -> None:
    here = world()
    here.trust = certificate(tmp_path, HOST)
    assert failure(here) == "tls_failed"
    assert here.receiver.requests == []


def test_the_systems_authorities_are_what_is_trusted(world: Make) -> None:
    here = world()
    own = Client(here.rules, here.resolve, here.dial)
    assert (own.trust.verify_mode, own.trust.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert own.trust.minimum_version >= ssl.TLSVersion.TLSv1_2
    with pytest.raises(EgressFailed, match="certificate"):
        own.send(post(), caps=WEBHOOK_CAPS)


def test_a_server_without_tls_is_a_failure(world: Make) -> None:
    assert failure(world(plain=True), QUICK) == "tls_failed"
    assert failure(world(OK, plain=True, listens=False)) == "tls_failed"


def test_a_handshake_that_drips_ends_in_time(world: Make) -> None:
    drip = world(b"\x16\x03\x03\x40\x00", endlessly=b"\x02", every_s=DRIP_S, plain=True, listens=False)
    assert failure(drip, QUICK) == "tls_failed"


# What is sent


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "127.0.0.1"},
        {"content-length": "0"},
        {"Transfer-Encoding": "chunked"},
        {"Proxy-Authorization": "x"},
        {"X-A": "a\r\nX-B: b"},
        {"X-A\r\nX-B": "b"},
        {"X-A": "ü"},
        {"": "x"},
        {"X-A": "a" * 9000},
    ],
)
def test_headers_that_would_change_the_request_are_refused(world: Make, headers: dict[str, str]) -> None:
    here = world()
    assert refusal(here, Outbound("POST", f"https://{HOST}/", headers)) == "request_not_allowed"
    assert here.looked_up == []


@pytest.mark.parametrize("method", ["CONNECT", "TRACE", "GET / HTTP/1.1\r\nX:", "post", ""])
def test_methods_that_are_no_plain_request_are_refused(world: Make, method: str) -> None:
    assert refusal(world(), Outbound(method, f"https://{HOST}/", {})) == "request_not_allowed"


# Documents by URL


def test_a_document_is_written_to_the_file_as_it_comes(world: Make) -> None:
    file, pdf = io.BytesIO(), b"%PDF" * 500_000
    here = world(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(pdf), pdf)
    answer = here.send(Outbound("GET", f"https://{HOST}/a.pdf", {}), DOCUMENT_CAPS, file)
    assert (answer.status, answer.body, answer.whole, file.getvalue() == pdf) == (200, b"", True, True)


def test_an_error_is_not_written_to_the_file(world: Make) -> None:
    file = io.BytesIO()
    here = world(b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone")
    answer = here.send(Outbound("GET", f"https://{HOST}/a.pdf", {}), DOCUMENT_CAPS, file)
    assert (answer.status, answer.body, file.getvalue()) == (404, b"none", b"")


def test_a_document_that_says_that_it_is_too_large_is_not_read(world: Make) -> None:
    file = io.BytesIO()
    here = world(b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world")
    with pytest.raises(EgressFailed) as failed:
        here.send(caps=replace(DOCUMENT_CAPS, body_bytes=10), file=file)
    assert (failed.value.code, file.getvalue()) == ("answer_too_large", b"")


def test_what_the_callers_own_file_says_is_not_the_other_sides_fault(world: Make) -> None:
    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        world().send(caps=DOCUMENT_CAPS, file=Full())


def test_a_literal_address_is_connected_to_without_a_lookup(world: Make) -> None:
    here = world()
    with pytest.raises(EgressFailed) as failed:
        here.send(post(url="https://[2606:4700::1111]:8443/"))
    assert failed.value.code == "tls_failed"  # The certificate is issued for a name.
    assert (here.looked_up, here.dialled) == ([], [("2606:4700::1111", 8443)])


# The following tests are about circuits, counters and the development switch.


def test_an_endpoint_that_fails_is_left_alone_and_others_are_not(world: Make) -> None:
    here = world(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
    client = here.client()
    for _ in range(5):
        assert client.send(post(), caps=WEBHOOK_CAPS, circuit="one").status == 500
    with pytest.raises(EgressFailed) as failed:
        client.send(post(), caps=WEBHOOK_CAPS, circuit="one")
    assert (failed.value.code, len(here.dialled)) == ("endpoint_paused", 5)
    assert failed.value.extra["retry_after_s"] == 30
    assert client.send(post(), caps=WEBHOOK_CAPS, circuit="another").status == 500
    assert client.send(post(), caps=WEBHOOK_CAPS).status == 500


def test_what_became_of_a_request_is_counted(world: Make) -> None:
    def counted(outcome: str) -> float:
        return REGISTRY.get_sample_value("maas_egress_requests_total", {"outcome": outcome}) or 0.0

    before = {one: counted(one) for one in ("answered", "url_not_allowed", "no_public_address")}
    here = world()
    here.send()
    refusal(replace(here, dialled=[]), post(url="http://example.com/"))
    here.answers = [[]]
    failure(here)
    assert {one: counted(one) - count for one, count in before.items()} == dict.fromkeys(before, 1.0)


@pytest.fixture
def at_home(settings: Any) -> None:
    settings.MAAS_EGRESS_LOOPBACK = True


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_development_switch_reaches_a_receiver_on_this_machine(world: Make, host: str) -> None:
    here = world(plain=True).receiver
    url = f"http://{host}:{here.port}/in"
    client.check_url(url)
    assert client.send(post(url=url)).status == 200
    file = io.BytesIO()
    assert client.fetch_to(url, file).status == 200
    assert file.getvalue() == b"ok"
    assert f"\r\nHost: {host}:{here.port}\r\n".encode() in here.requests[0]


def test_without_the_switch_this_machine_is_not_reached(world: Make) -> None:
    here = world(plain=True).receiver
    for ask in (client.check_url, lambda url: client.send(post(url=url))):
        with pytest.raises(EgressRefused):
            ask(f"http://127.0.0.1:{here.port}/in")
    assert here.requests == []


@pytest.mark.parametrize("answer", ["10.0.0.1", "169.254.169.254"])
def test_the_development_switch_reaches_no_other_machine(world: Make, answer: str) -> None:
    here = world()
    here.rules, here.answers = Rules(loopback=True), [[answer]]
    assert leads_nowhere(here)


def test_nothing_goes_out_in_plain_text_wherever_localhost_leads(world: Make) -> None:
    here = world(plain=True)
    here.rules = Rules(loopback=True)
    assert leads_nowhere(here, post(url="http://localhost/"))
