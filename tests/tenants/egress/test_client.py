"""Requests to the outside, over real TLS: whom they reach, and what the other side can do to them."""

import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path

import pytest

from tenants.egress.addresses import Address
from tenants.egress.client import WEBHOOK_CAPS, Client, Outbound
from tenants.egress.errors import EgressFailed
from tenants.egress.urls import Rules
from tests.tenants.egress.conftest import HOST
from tests.tenants.egress.receiver import OK, Receiver

Start = Callable[..., Receiver]
PUBLIC = "93.184.216.34"
QUICK = replace(WEBHOOK_CAPS, connect_s=2.0, total_s=1.0)


@dataclass
class World:
    """Names, and where a public address leads to in this test: to the receiver."""

    receiver: Receiver
    certificate: Path
    answers: list[Sequence[str]] = field(default_factory=lambda: [[PUBLIC]])
    looked_up: list[str] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)
    rules: Rules = field(default_factory=Rules)

    def resolve(self, host: str) -> Sequence[Address]:
        self.looked_up.append(host)
        found = self.answers[min(len(self.looked_up), len(self.answers)) - 1]
        return [ip_address(one) for one in found]

    def dial(self, address: Address, port: int, timeout_s: float) -> socket.socket:
        self.dialled.append((str(address), port))
        return socket.create_connection(("127.0.0.1", self.receiver.port), timeout_s)

    def client(self) -> Client:
        trust = ssl.create_default_context(cafile=self.certificate)
        return Client(self.rules, self.resolve, self.dial, trust)


@pytest.fixture
def world(receiver: Start, own_certificate: Path) -> Callable[..., World]:
    def make(*pieces: bytes, **options: object) -> World:
        return World(receiver(*(pieces or (OK,)), **options), own_certificate)

    return make


def post(body: bytes = b"{}", url: str = f"https://{HOST}/in?a=1", **headers: str) -> Outbound:
    return Outbound("POST", url, {"Content-Type": "application/json", **headers}, body)


def failure(world: World, caps: object = QUICK, outbound: Outbound | None = None) -> str:
    with pytest.raises(EgressFailed) as failed:
        world.client().send(outbound or post(), caps=caps)  # type: ignore[arg-type]
    return failed.value.code


def test_a_request_reaches_the_pinned_address_under_the_name(world: Callable[..., World]) -> None:
    here = world(b"HTTP/1.1 202 Accepted\r\nX-Two: a\r\nX-Two: b\r\nContent-Length: 2\r\n\r\nok")
    answer = here.client().send(post(b'{"a":1}', webhook="x"), caps=WEBHOOK_CAPS)
    assert (answer.status, answer.body, answer.headers["x-two"], answer.whole) == (202, b"ok", "a, b", True)
    assert here.dialled == [(PUBLIC, 443)]
    assert here.receiver.names == [HOST]
    head, _, body = here.receiver.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /in?a=1 HTTP/1.1\r\n")
    assert f"\r\nHost: {HOST}\r\n".encode() in head
    assert b"\r\nAccept-Encoding: identity\r\n" in head
    assert body == b'{"a":1}'
