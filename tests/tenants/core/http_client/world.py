"""A test world: what names resolve to, and which server answers behind every public address."""

import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from tenants.core.http_client.addresses import Address
from tenants.core.http_client.client import WEBHOOK_CAPS, Answer, Caps, Client, Outbound
from tenants.core.http_client.errors import EgressFailed, EgressRefused
from tenants.core.http_client.urls import Rules
from tests.tenants.core.http_client.receiver import Receiver

HOST = "hooks.example.com"
PUBLIC, ANOTHER = "93.184.216.34", "2606:4700::1111"
QUICK = replace(WEBHOOK_CAPS, total_s=1.0)
"""The caps for requests that only their total time ends."""
WITH_BODY = replace(WEBHOOK_CAPS, needs_body=True)
DRIP_S = 0.02
"""Seconds between two pieces, far below any timeout: only a deadline that new bytes do not move can end the request."""


@dataclass
class World:
    """The addresses that names resolve to, and the receiver behind every public address."""

    receiver: Receiver
    trust: Path
    answers: list[Sequence[str]] = field(default_factory=lambda: [[PUBLIC]])
    rules: Rules = field(default_factory=Rules)
    looked_up: list[str] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)
    dead: set[str] = field(default_factory=set)

    def resolve(self, host: str) -> Sequence[Address]:
        """Return the answers one after the other, and then the last one for ever."""
        self.looked_up.append(host)
        found = self.answers[min(len(self.looked_up), len(self.answers)) - 1]
        return [ip_address(one) for one in found]

    def dial(self, address: Address, port: int, timeout_s: float) -> socket.socket:
        self.dialled.append((str(address), port))
        if str(address) in self.dead:
            raise ConnectionRefusedError(111, "Connection refused")
        return socket.create_connection(("127.0.0.1", self.receiver.port), timeout_s)

    def send(self, outbound: Outbound | None = None, caps: Caps = WEBHOOK_CAPS, file: Any = None) -> Answer:
        return self.client().send(outbound or post(), caps=caps, file=file)

    def client(self) -> Client:
        return Client(self.rules, self.resolve, self.dial, ssl.create_default_context(cafile=self.trust))


Make = Callable[..., World]


def post(body: bytes = b"{}", url: str = f"https://{HOST}/in?a=1", **headers: str) -> Outbound:
    return Outbound("POST", url, {"Content-Type": "application/json", **headers}, body)


def failure(here: World, caps: Caps = WEBHOOK_CAPS, outbound: Outbound | None = None) -> str:
    with pytest.raises(EgressFailed) as failed:
        here.send(outbound, caps)
    return failed.value.code


def leads_nowhere(here: World, outbound: Outbound | None = None) -> bool:
    """Say whether the request failed before anybody was connected to."""
    return failure(here, outbound=outbound) == "no_public_address" and here.dialled == []


def refusal(here: World, outbound: Outbound | None = None) -> str:
    """Return the code of the refusal, after checking that nobody was connected to."""
    with pytest.raises(EgressRefused) as refused:
        here.send(outbound)
    assert here.dialled == []
    return refused.value.code
