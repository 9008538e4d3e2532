"""Tests of synchronous calls at a real web process: what the front does before a handler is called."""

import re
from collections.abc import Callable, Iterator

import httpx
import pytest
from django.conf import settings
from django.urls import URLPattern, URLResolver, get_resolver
from prometheus_client.parser import text_string_to_metric_families

from inference.registry.models import ModelVersion
from inference.rpc import LaneReader
from tenants.onboarding.create_tenant import CreatedTenant
from tests.inference.gateway.house import Embedder
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


@pytest.fixture
def embedding_model(make_version: Callable[..., ModelVersion]) -> Iterator[str]:
    version = make_version()
    reader = LaneReader(settings.MAAS_REDIS_URL, Embedder().serve, slots=4)
    reader.set_lanes([version.key])
    reader.start()
    assert reader.reading.wait(30)
    yield version.served_model.name
    reader.stop(0.2)


def _metrics(server: GranianServer) -> dict[str, dict[tuple[str, ...], float]]:
    """Return values by the name of their series and by their labels' values."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(httpx.get(f"{server.url}/metrics").text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


def _measured(server: GranianServer, kind: str, outcome: str) -> float:
    return _metrics(server).get("maas_request_seconds_count", {}).get((kind, outcome), 0)


def test_a_synchronous_call_is_measured_by_protocol_and_outcome(
    server: GranianServer, client: httpx.Client, embedding_model: str
) -> None:
    before = {end: _measured(server, "openai", end) for end in ("answered", "refused")}
    assert client.post("/v1/embeddings", json={"model": embedding_model, "input": "a"}).status_code == 200
    assert client.post("/v1/embeddings", json={"model": "none", "input": "a"}).status_code == 404
    after = {end: _measured(server, "openai", end) for end in ("answered", "refused")}
    assert after == {end: count + 1 for end, count in before.items()}


def _addresses(resolver: URLResolver, before: str = "/") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern):
            yield re.sub(r"<[^>]*>", "1", f"{before}{pattern.pattern}")
        else:
            yield from _addresses(pattern, f"{before}{pattern.pattern}")


def test_a_process_that_was_asked_for_every_address_exposes_few_samples(server: GranianServer) -> None:
    addresses = [address for address in _addresses(get_resolver()) if re.fullmatch(r"[\w./-]+", address)]
    assert len(addresses) > 300
    with httpx.Client(base_url=server.url, timeout=30) as client:
        for address in addresses:
            client.get(address)
    assert sum(len(series) for series in _metrics(server).values()) < 1000
