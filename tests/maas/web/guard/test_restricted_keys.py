"""Tests that the restrictions of a key apply to every protocol, and that they are checked behind any number of
proxies.
"""

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from tenants.api_keys.services import create_key
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.flows.event_socket import EventSocket
from tests.maas.granian_server import GranianServer

AT_HOME, ELSEWHERE = ["203.0.113.0/24", "2001:db8::/32"], "192.0.2.9"


@pytest.fixture
def behind_a_proxy(proxied_web: GranianServer) -> GranianServer:
    return proxied_web


def key_of(tenant: CreatedTenant, **restrictions: list[str]) -> str:
    with unit_of_work(tenant.tenant.id):
        return create_key(tenant_id=tenant.tenant.id, name="restricted", **restrictions).text  # type: ignore[arg-type]


def ask(server: GranianServer, path: str, key: str, told: str, **call: object) -> httpx.Response:
    headers = {"Authorization": f"Bearer {key}", "X-Forwarded-For": told}
    method = "POST" if call else "GET"
    return httpx.request(method, f"{server.url}{path}", headers=headers, trust_env=False, timeout=60, **call)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ("203.0.113.9", 200),
        ("2001:db8::7", 200),
        ("::ffff:203.0.113.9", 200),
        (f"203.0.113.9, {ELSEWHERE}", 403),
        (ELSEWHERE, 403),
        ("made up", 403),
    ],
)
def test_the_address_is_the_one_that_the_proxy_saw(
    behind_a_proxy: GranianServer, tenant: CreatedTenant, told: str, status: int
) -> None:
    assert ask(behind_a_proxy, "/v1/limits", key_of(tenant, allowed_networks=AT_HOME), told).status_code == status


@pytest.mark.parametrize(
    ("path", "call"),
    [
        ("/v1/limits", {}),
        ("/v1/events", {}),
        ("/v1/jobs", {"json": {"model": "embed", "input": {"text": "x"}}}),
        ("/v1/embeddings", {"json": {"model": "embed", "input": "x"}}),
        ("/v2/models/embed/infer", {"json": {"inputs": []}}),
        ("/v1/uploads", {"content": b""}),
    ],
)
def test_every_path_refuses_a_key_from_elsewhere(
    behind_a_proxy: GranianServer, tenant: CreatedTenant, path: str, call: dict[str, object]
) -> None:
    answer = ask(behind_a_proxy, path, key_of(tenant, allowed_networks=AT_HOME), ELSEWHERE, **call)
    assert answer.status_code == 403
    assert "ip_not_allowed" in answer.text
    assert ELSEWHERE in answer.text


def test_no_socket_is_opened_from_elsewhere(behind_a_proxy: GranianServer, tenant: CreatedTenant) -> None:
    headers = {
        "Authorization": f"Bearer {key_of(tenant, allowed_networks=AT_HOME)}",
        "X-Forwarded-For": ELSEWHERE,
    }
    with pytest.raises(InvalidStatus) as refused:
        EventSocket(behind_a_proxy.url, headers=headers)
    assert refused.value.response.status_code == 403


def test_a_ticket_is_no_way_around(behind_a_proxy: GranianServer, tenant: CreatedTenant) -> None:
    key = key_of(tenant, allowed_networks=AT_HOME)
    ticket = ask(behind_a_proxy, "/v1/tickets", key, "203.0.113.9", content=b"").json()["ticket"]
    with pytest.raises(InvalidStatus):
        EventSocket(behind_a_proxy.url, query=f"?ticket={ticket}", headers={"X-Forwarded-For": ELSEWHERE})


def test_a_key_in_the_address_of_a_socket_is_refused(behind_a_proxy: GranianServer, tenant: CreatedTenant) -> None:
    with pytest.raises(InvalidStatus) as refused:
        EventSocket(behind_a_proxy.url, query=f"?api_key={tenant.key.text}")
    assert refused.value.response.status_code == 400
    assert tenant.key.text.encode() not in behind_a_proxy.log_path.read_bytes()
