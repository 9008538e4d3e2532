"""The only client for URLs that tenants name: for webhooks and for documents by URL."""

import ssl
from dataclasses import dataclass, field, replace
from functools import cache
from time import monotonic
from typing import BinaryIO

from django.conf import settings
from prometheus_client import Counter, Histogram

from tenants.core.http_client import exchange
from tenants.core.http_client.addresses import Address, is_loopback
from tenants.core.http_client.circuits import Circuits
from tenants.core.http_client.errors import EgressFailed, EgressRefused, no_public_address
from tenants.core.http_client.exchange import Answer, Caps, Outbound
from tenants.core.http_client.lookup import Resolve, look_up, system_addresses
from tenants.core.http_client.urls import Rules, Target, read_url
from tenants.core.http_client.wire import Cut, Deadline, Dial, Wire, dial, reach, secure, trusted

__all__ = [
    "DOCUMENT_CAPS",
    "WEBHOOK_CAPS",
    "Answer",
    "Caps",
    "Cut",
    "Outbound",
    "check_url",
    "fetch_to",
    "send",
]

REQUESTS = Counter("maas_egress_requests_total", "Requests to URLs given by tenants.", ["outcome"])
SECONDS = Histogram(
    "maas_egress_seconds",
    "Time from the DNS lookup to the end of the response, or to the failure.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 60, 300),
)
WEBHOOK_CAPS = Caps()
DOCUMENT_CAPS = Caps(total_s=60.0, body_bytes=200 * 2**20, needs_body=True)
"""The caps for documents. The caller sets its own maximum size by `dataclasses.replace`."""


def check_url(url: str) -> Target:
    """Check a URL, but not the addresses of its host, which are checked at use. Raises EgressRefused."""
    return read_url(url, _rules())


def send(outbound: Outbound, *, caps: Caps = WEBHOOK_CAPS, circuit: str | None = None) -> Answer:
    """Send one request and return its response, whatever its status. No redirect is followed.

    Under a `circuit`, such as an endpoint's id, nothing is sent for a while after five failures in a row.
    """
    return _client_of(_rules()).send(outbound, caps=caps, circuit=circuit)


def fetch_to(url: str, file: BinaryIO, *, caps: Caps = DOCUMENT_CAPS, cut: Cut | None = None) -> Answer:
    """Write the body of a GET's 200 to the file while it arrives. After an error the file is useless."""
    return _client_of(_rules()).fetch(url, file, caps=caps, cut=cut)


@dataclass(frozen=True)
class Client:
    """A client with its dependencies, so that tests can replace them."""

    rules: Rules
    resolve: Resolve = system_addresses
    dial: Dial = dial
    trust: ssl.SSLContext = field(default_factory=trusted)
    circuits: Circuits = field(default_factory=Circuits)

    def fetch(self, url: str, file: BinaryIO, *, caps: Caps, cut: Cut | None = None) -> Answer:
        client = self if cut is None else replace(self, dial=cut.watching(self.dial))
        return client.send(Outbound("GET", url, {"Accept": "*/*"}), caps=caps, file=file)

    def send(
        self, outbound: Outbound, *, caps: Caps, circuit: str | None = None, file: BinaryIO | None = None
    ) -> Answer:
        try:
            answer = self._under(circuit, outbound, caps, file)
        except (EgressFailed, EgressRefused) as error:
            REQUESTS.labels(error.code).inc()
            raise
        REQUESTS.labels("answered").inc()
        return answer

    def _under(self, circuit: str | None, outbound: Outbound, caps: Caps, file: BinaryIO | None) -> Answer:
        if circuit is None:
            return self._send(outbound, caps, file)
        with self.circuits.of(circuit):
            answer = self._send(outbound, caps, file)
        (self.circuits.failed if answer.status >= 500 else self.circuits.succeeded)(circuit)
        return answer

    def _send(self, outbound: Outbound, caps: Caps, file: BinaryIO | None) -> Answer:
        target = read_url(outbound.url, self.rules)
        exchange.check(outbound)
        began_s = monotonic()
        try:
            answer = self._exchange(outbound, target, caps, file)
        finally:
            took_s = monotonic() - began_s
            SECONDS.observe(took_s)
        return replace(answer, took_s=took_s)

    def _exchange(self, outbound: Outbound, target: Target, caps: Caps, file: BinaryIO | None) -> Answer:
        deadline = Deadline.within(caps.total_s)
        addresses = self._addresses(target, deadline.sooner(caps.connect_s))
        connecting = deadline.sooner(caps.connect_s)
        connection = reach(addresses, target.port, connecting, self.dial)
        try:
            if target.tls:
                connection = secure(connection, target.host, self.trust, connecting)
            wire = Wire(connection, deadline, max_bytes=caps.header_bytes)
            answer = exchange.ask(wire, outbound, target, caps, file)
            return replace(answer, is_own=self.rules.is_own(target.host, addresses))
        finally:
            connection.close()

    def _addresses(self, target: Target, deadline: Deadline) -> list[Address]:
        """Look up the addresses once, for the connection too, as a second look-up could return others."""
        found = [target.address] if target.address else list(look_up(target.host, self.resolve, deadline))
        for address in found:
            if not self.rules.allow(address) or not (target.tls or is_loopback(address)):
                raise no_public_address(target.host)
        return found


def _rules() -> Rules:
    return Rules(frozenset(settings.MAAS_EGRESS_PORTS), settings.MAAS_EGRESS_LOOPBACK, settings.MAAS_EGRESS_OWN_HOSTS)


@cache
def _client_of(rules: Rules) -> Client:
    return Client(rules)
