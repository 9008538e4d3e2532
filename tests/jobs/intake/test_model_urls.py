"""Tests of models whose files are fetched from the URL that a request names."""

import secrets
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from inference.registry.models import ModelVersion
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.jobs.intake import test_fetches
from tests.jobs.intake.test_fetches import SECRET, at, client, local_certificate, ok, server, there
from tests.tenants.core.http_client.receiver import Receiver

__all__ = ["client", "local_certificate", "server", "there"]
ONNX = b"not a graph, which a worker would find out: " + b"x" * 1000
PORT = Callable[..., Receiver]


@pytest.fixture(scope="module")
def environment(local_certificate: Path) -> dict[str, str]:
    return {**test_fetches.environment.__wrapped__(local_certificate), "MAAS_OWN_MODEL_MB": "1"}  # type: ignore[attr-defined]


def body(receiver: Receiver, **changes: str) -> dict[str, str]:
    return {"name": unique("model"), "license": "MIT", "url": at(receiver), **changes}


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def in_form(values: dict[str, str]) -> dict[str, tuple[None, str]]:
    return {name: (None, value) for name, value in values.items()}


@pytest.mark.parametrize("way", ["json", "form"])
def test_a_model_is_fetched_and_stored_by_its_digest(client: httpx.Client, there: PORT, way: str) -> None:
    receiver = there(ok(ONNX))
    wanted = body(receiver, description="Adds one")
    sent: dict[str, Any] = {"json": wanted} if way == "json" else {"files": in_form(wanted)}
    made = client.post("/v1/models", **sent)
    assert (made.status_code, made.json()["state"], made.json()["version"]) == (202, "validating", 1), made.text
    assert made.json()["lineage"]["file"] == {"sha256": sha256(ONNX).hexdigest(), "bytes": len(ONNX)}
    assert made.json()["description"] == "Adds one"
    assert made.headers["location"] == f"/v1/models/{wanted['name']}/versions/1"
    second = client.post(f"/v1/models/{wanted['name']}/versions", json={"license": "MIT", "url": at(receiver)})
    assert (second.status_code, second.json()["version"]) == (202, 2)
    assert len(receiver.requests) == 2


def test_objects_of_a_json_body_are_objects(client: httpx.Client, there: PORT) -> None:
    receiver = there(ok(ONNX))
    given: dict[str, Any] = {**body(receiver), "labels": {"team": "risk"}, "lineage": {"run": 7}}
    made = client.post("/v1/models", json=given).json()
    assert (made["labels"], made["lineage"]["run"]) == ({"team": "risk"}, 7)
    for wrong in ({"license": 3}, {"labels": ["a"]}, {"card": "a\0b"}, {"colour": "x"}, {"file": "x", "url": "y"}):
        assert code_of(client.post("/v1/models", json={**given, **wrong}))[0] in (400, 422), wrong


def test_a_variant_is_fetched_too(client: httpx.Client, there: PORT) -> None:
    receiver = there(ok(ONNX))
    wanted = body(receiver)
    client.post("/v1/models", json=wanted)
    with operator_work():
        ModelVersion.objects.filter(served_model__name=wanted["name"]).update(state=ModelVersion.State.READY)
    path = f"/v1/models/{wanted['name']}/versions/1/variants"
    made = client.post(path, json={"precision": "int8", "url": at(receiver)})
    assert made.status_code == 202, made.text
    assert len(receiver.requests) == 2


def test_a_repeated_request_gets_the_first_version_and_fetches_nothing(client: httpx.Client, there: PORT) -> None:
    receiver = there(ok(ONNX))
    key, wanted = {"Idempotency-Key": secrets.token_hex(8)}, body(receiver)
    first, again = (client.post("/v1/models", json=wanted, headers=key) for _ in range(2))
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.headers["idempotent-replay"] == "true"
    assert again.json()["version"] == first.json()["version"] == 1
    in_a_form = client.post("/v1/models", files=in_form(wanted), headers=key)
    assert in_a_form.headers["idempotent-replay"] == "true"
    assert len(receiver.requests) == 1
    other = client.post("/v1/models", json={**wanted, "license": "Apache-2.0"}, headers=key)
    assert code_of(other) == (422, "idempotency_key_reused")
    assert len(receiver.requests) == 1


def test_a_fetch_that_fails_makes_no_model_and_leaves_its_key_free(
    client: httpx.Client, there: PORT, tenant: CreatedTenant
) -> None:
    key, name = {"Idempotency-Key": secrets.token_hex(8)}, unique("model")
    large = client.post("/v1/models", json=body(there(ok(b"x" * 1_100_000)), name=name), headers=key)
    assert code_of(large) == (413, "document_too_large")
    assert large.json()["limit_bytes"] == 1_000_000
    gone = client.post("/v1/models", json=body(there(b"HTTP/1.1 404 No\r\n\r\n"), name=name), headers=key)
    assert code_of(gone) == (422, "url_not_fetched")
    assert gone.json()["remote_status"] == 404
    with operator_work():
        assert not ModelVersion.objects.filter(tenant=tenant.tenant.id).exists()
    assert client.post("/v1/models", json=body(there(ok(ONNX)), name=name), headers=key).status_code == 202


@pytest.mark.parametrize("url", ["https://10.0.0.1/m.onnx", "https://[fd00::1]/m.onnx", "http://example.com/m.onnx"])
def test_a_private_or_plain_url_is_refused(client: httpx.Client, url: str) -> None:
    for sent in ({"json": {"name": "m", "license": "MIT", "url": url}}, {"files": in_form({"name": "m", "url": url})}):
        assert code_of(client.post("/v1/models", **sent)) == (422, "url_not_allowed")


def test_exactly_one_file_is_named(client: httpx.Client, there: PORT) -> None:
    receiver = there(ok(ONNX))
    two = client.post("/v1/models", data=body(receiver), files={"file": ("m.onnx", ONNX)})
    none = client.post("/v1/models", files=in_form({"name": "m", "license": "MIT"}))
    assert (code_of(two), code_of(none)) == ((400, "invalid_request"),) * 2
    assert "names 'file', 'url'." in two.json()["detail"]
    assert "names no file" in none.json()["detail"]
    assert receiver.requests == []


def test_the_url_is_not_shown(client: httpx.Client, there: PORT) -> None:
    wanted = body(there(ok(ONNX)))
    client.post("/v1/models", json=wanted)
    assert SECRET not in client.get(f"/v1/models/{wanted['name']}/versions/1").text
