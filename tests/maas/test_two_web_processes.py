"""Tests that what an account takes from a key, or an operator from an account, applies in every web process."""

import time
from collections.abc import Callable

import httpx
import pytest
from django.test import Client
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tenants.accounts.models import Tenant
from tenants.accounts.services import set_tenant_state
from tenants.api_keys.services import keep_key_to, revoke_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.flows.event_socket import EventSocket
from tests.maas.granian_server import GranianServer
from tests.waiting import eventually

ELSEWHERE = ["203.0.113.0/24"]
CLOSED_AS_STRANGER = 4401


@pytest.fixture
def servers(two_webs: tuple[GranianServer, GranianServer]) -> tuple[GranianServer, ...]:
    return two_webs


def ask(server: GranianServer, key: str) -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {key}"}
    answer = httpx.get(f"{server.url}/v1/limits", headers=headers, trust_env=False, timeout=30)
    return answer.status_code, str(answer.json().get("code", ""))


def closing_code(socket: EventSocket) -> int:
    """Return the code with which the socket is closed. All messages before that are read."""
    try:
        while True:
            socket.receive()
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else 0


def followed(server: GranianServer, key: str) -> "httpx.Response":
    client = httpx.Client(trust_env=False, timeout=60)
    headers = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream"}
    return client.send(client.build_request("GET", f"{server.url}/v1/events", headers=headers), stream=True)


def in_the_tenants_work(tenant: CreatedTenant, action: Callable[[], object]) -> None:
    with unit_of_work(tenant.tenant.id):
        action()


def revoke(tenant: CreatedTenant) -> None:
    in_the_tenants_work(tenant, lambda: revoke_key(key_id=tenant.key.key.id))


def restrict(tenant: CreatedTenant) -> None:
    in_the_tenants_work(
        tenant, lambda: keep_key_to(key_id=tenant.key.key.id, allowed_models=[], allowed_networks=ELSEWHERE)
    )


def suspend(tenant: CreatedTenant) -> None:
    with operator_work():
        set_tenant_state(tenant_id=tenant.tenant.id, state=Tenant.State.SUSPENDED)


@pytest.mark.parametrize(
    ("take_away", "refusal"),
    [
        (revoke, (401, "api_key_revoked")),
        (restrict, (403, "ip_not_allowed")),
        (suspend, (403, "tenant_suspended")),
    ],
    ids=["revoked", "restricted", "suspended"],
)
def test_requests_streams_and_sockets_of_both_end(
    servers: tuple[GranianServer, ...],
    tenant: CreatedTenant,
    take_away: Callable[[CreatedTenant], None],
    refusal: tuple[int, str],
) -> None:
    key = tenant.key.text
    assert [ask(server, key)[0] for server in servers] == [200, 200]
    sockets = [EventSocket.with_key(server.url, key) for server in servers]
    streams = [followed(server, key) for server in servers]
    assert [socket.receive()["type"] for socket in sockets] == ["ready", "ready"]
    assert [stream.status_code for stream in streams] == [200, 200]
    take_away(tenant)
    began_s = time.monotonic()
    for server in servers:
        eventually(lambda server=server: ask(server, key) == refusal, f"{refusal} at {server.url}")  # type: ignore[misc]
    print(f"requests {time.monotonic() - began_s:.2f} s", end=" ")
    assert [closing_code(socket) for socket in sockets] == [CLOSED_AS_STRANGER] * 2
    print(f"sockets {time.monotonic() - began_s:.2f} s", end=" ")
    for stream in streams:
        assert "not_authenticated" in stream.read().decode()
    print(f"streams {time.monotonic() - began_s:.2f} s")
    for server in servers:
        with pytest.raises(InvalidStatus) as refused:
            EventSocket.with_key(server.url, key)
        assert refused.value.response.status_code == refusal[0]


def test_a_person_of_a_suspended_account_is_told_so_and_let_in_again(
    servers: tuple[GranianServer, ...], client: Client, tenant: CreatedTenant
) -> None:
    client.force_login(tenant.owner)
    cookies = {"sessionid": client.cookies["sessionid"].value}
    pages = [httpx.Client(base_url=server.url, cookies=cookies, trust_env=False, timeout=60) for server in servers]
    assert [page.get("/keys").status_code for page in pages] == [200, 200]
    suspend(tenant)
    for page in pages:
        assert page.get("/keys").status_code == 403
        assert "suspended" in page.get("/keys").text
    with operator_work():
        set_tenant_state(tenant_id=tenant.tenant.id, state=Tenant.State.ACTIVE)
    assert [page.get("/keys").status_code for page in pages] == [200, 200]
