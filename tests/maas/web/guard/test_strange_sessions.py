"""Tests of unknown session cookies on a real server behind a proxy. Each test comes from a client IP of its own."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex

import httpx
import pytest
from django.test import Client
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer
from tests.waiting import eventually

MANY = 400
MOST, A_SECOND = 300, 5
"""The number of tries that one client IP has at once, and the number that it regains each second."""


@pytest.fixture
def server(proxied_web: GranianServer) -> GranianServer:
    return proxied_web


@pytest.fixture
def signed_in(client: Client, tenant: CreatedTenant) -> Client:
    client.force_login(tenant.owner)
    return client


Ask = Callable[[httpx.Client, dict[str, str]], int]


def stream(client: httpx.Client, headers: dict[str, str]) -> int:
    with client.stream("GET", "/v1/events", headers={**headers, "Accept": "text/event-stream"}) as answer:
        return answer.status_code


def write(client: httpx.Client, headers: dict[str, str]) -> int:
    return client.post("/v1/nothing", headers=headers).status_code


def socket(client: httpx.Client, headers: dict[str, str]) -> int:
    return _handshake(client, "", {**headers, "Origin": str(client.base_url).rstrip("/")})


def ticket(client: httpx.Client, headers: dict[str, str]) -> int:
    return _handshake(client, f"?ticket={token_hex(16)}", headers)


def _handshake(client: httpx.Client, query: str, headers: dict[str, str]) -> int:
    url = f"ws://127.0.0.1:{client.base_url.port}/ws/v1/events{query}"
    try:
        with connect(url, additional_headers=headers, open_timeout=30):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def flood(ask: Ask, client: httpx.Client, address: str, count: int = MANY) -> list[int]:
    def once(_: int) -> int:
        return ask(client, {"Cookie": f"sessionid={token_hex(16)}", "X-Forwarded-For": address})

    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(once, range(count)))


@pytest.mark.parametrize(
    ("ask", "address"),
    [(stream, "192.0.2.1"), (write, "192.0.2.2"), (socket, "192.0.2.3"), (ticket, "192.0.2.4")],
)
def test_what_is_nobodys_is_looked_up_only_so_often_wherever_it_is_sent(
    server: GranianServer, ask: Ask, address: str
) -> None:
    began_s = time.monotonic()
    with httpx.Client(base_url=server.url, timeout=30) as client:
        seen = flood(ask, client, address)
    most = MOST + A_SECOND * (time.monotonic() - began_s) + 1
    assert set(seen) <= {401, 429}
    assert MOST <= seen.count(401) <= most


@pytest.mark.parametrize("ask", [stream, write])
def test_who_is_signed_in_goes_on_from_an_address_that_has_no_try_left(
    server: GranianServer, signed_in: Client, ask: Ask
) -> None:
    own = {"Cookie": f"sessionid={signed_in.cookies['sessionid'].value}", "X-Forwarded-For": "192.0.2.7"}
    with httpx.Client(base_url=server.url, timeout=30) as client:
        eventually(lambda: ask(client, own) not in {401, 429}, "it is known")
        eventually(lambda: 429 in flood(write, client, "192.0.2.7"), "no try is left")
        assert ask(client, own) not in {401, 429}


def test_handshakes_count_among_the_requests_of_their_key(server: GranianServer, tenant: CreatedTenant) -> None:
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(requests_per_minute=3)
    own = {"Authorization": f"Bearer {tenant.key.text}", "X-Forwarded-For": "192.0.2.8"}
    with httpx.Client(base_url=server.url, timeout=30) as client:
        assert [_handshake(client, "", own) for _ in range(5)] == [101] * 3 + [429] * 2
        assert client.get("/v1/models", headers=own).status_code == 429
