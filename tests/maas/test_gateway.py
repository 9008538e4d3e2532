"""Synchronous calls at a real web process: what the front does before a handler is asked."""

from collections.abc import Iterator

import httpx
import pytest

from tenants.services import CreatedTenant
from tests.maas.granian_server import GranianServer
from tests.maas.raw_http import RawRequest


@pytest.fixture(scope="module")
def server() -> Iterator[GranianServer]:
    with GranianServer("maas.asgi:application", {"MAAS_MAX_CALL_BYTES": "1000"}) as server:
        yield server


@pytest.fixture
def client(server: GranianServer, tenant: CreatedTenant) -> Iterator[httpx.Client]:
    key = {"Authorization": f"Bearer {tenant.key.text}"}
    with httpx.Client(base_url=server.url, headers=key, timeout=10) as client:
        yield client


def test_health_is_open_and_everything_else_asks_for_a_key(server: GranianServer) -> None:
    for path in ("/v2/health/live", "/v2/health/ready"):
        assert httpx.get(f"{server.url}{path}").status_code == 200
    for method, path in (
        ("GET", "/v2"),
        ("GET", "/v2/models/embed"),
        ("POST", "/v2/repository/index"),
        ("POST", "/v2/models/embed/infer"),
    ):
        answer = httpx.request(method, f"{server.url}{path}")
        assert answer.status_code == 401
        assert answer.json()["code"] == "not_authenticated"
        assert answer.headers["www-authenticate"].startswith("Bearer")
    answer = httpx.post(f"{server.url}/v1/embeddings", json={})
    assert (answer.status_code, answer.json()["error"]["type"]) == (401, "authentication_error")


def test_a_wrong_key_is_refused_before_the_body_is_read(server: GranianServer) -> None:
    head = "POST /v2/models/embed/infer HTTP/1.1\nAuthorization: Bearer maas_live_wrong\nContent-Length: 999"
    with RawRequest(server.port, head) as request:
        answer = request.answer()
    assert answer.status == 401
    assert b'"code": "invalid_api_key"' in answer.body


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_over_the_limit_is_refused(client: httpx.Client, announced: bool) -> None:
    body = b"x" * 2000
    answer = client.post("/v2/models/embed/infer", content=body if announced else iter([body]))
    assert (answer.status_code, answer.json()["code"]) == (413, "request_too_large")
    assert "1000" in answer.json()["error"]


def test_what_is_not_there_is_said_in_the_protocols_words(client: httpx.Client) -> None:
    for path in ("/v2/nothing", "/v2/models/embed/versions"):
        answer = client.get(path)
        assert (answer.status_code, answer.json().get("code"), path) == (404, "not_found", path), answer.text
    answer = client.get("/v1/embeddings")
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")
    assert client.get("/v22").status_code == 404


def test_every_answer_has_the_requests_name(client: httpx.Client) -> None:
    answer = client.get("/v2/nothing", headers={"X-Request-Id": "mine-1"})
    assert answer.headers["x-request-id"] == answer.json()["request_id"] == "mine-1"
