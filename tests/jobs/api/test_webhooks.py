"""Tests of `/v1/webhooks`, through Django itself."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db.models.functions import Now
from django.test import Client

from jobs.core.models import Document
from jobs.webhooks import job_urls
from jobs.webhooks.models import WebhookDelivery
from jobs.webhooks.services import MAX_ENDPOINTS
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk

from .conftest import form_of, send_job

URL = "https://example.com/hook"
HOOKS = "/v1/webhooks"

Call = Callable[..., Any]


@pytest.fixture
def call(desk: Desk) -> Call:
    def send(method: str, path: str, body: object = None, by: Identity = desk.identity, key: str | None = None) -> Any:
        given: dict[str, Any] = {"maas.identity": by}
        if key is not None:
            given["headers"] = {"Idempotency-Key": key}
        text = "" if body is None else json.dumps(body)
        return Client().generic(method, path, text, "application/json", **given)

    return send


@pytest.fixture
def endpoint(call: Call) -> dict[str, Any]:
    return dict(call("POST", f"{HOOKS}/endpoints", {"url": URL}).json())


def test_an_endpoint_is_made_with_a_secret_that_is_shown_once(call: Call) -> None:
    answer = call("POST", f"{HOOKS}/endpoints", {"url": URL, "events": ["job.*"], "description": "Orders"})
    made = answer.json()
    assert (answer.status_code, made["url"], made["events"], made["state"]) == (
        201,
        URL,
        ["job.*"],
        "enabled",
    )
    assert made["secret"].startswith("whsec_")
    shown = call("GET", answer["Location"]).json()
    assert shown == {name: value for name, value in made.items() if name != "secret"}
    assert call("GET", f"{HOOKS}/endpoints").json()["data"] == [shown]


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ({}, "invalid_request", "`url`"),
        ({"url": "http://example.com/"}, "url_not_allowed", "only https://"),
        ({"url": "https://10.0.0.1/"}, "url_not_allowed", "not a public IP address"),
        ({"url": URL, "events": ["job.done"]}, "invalid_request", "'job.done' is not an event. Use *,"),
        ({"url": URL, "events": []}, "invalid_request", "`events`"),
        ({"url": URL, "evnts": ["*"]}, "invalid_request", "Unknown field"),
        ([], "invalid_request", ""),
    ],
)
def test_what_is_wrong_is_said(call: Call, body: object, code: str, words: str) -> None:
    answer = call("POST", f"{HOOKS}/endpoints", body)
    assert answer.status_code in (400, 422)
    assert answer.json()["code"] == code
    assert words in answer.json()["detail"]


def test_there_is_a_most_of_endpoints(call: Call) -> None:
    for _ in range(MAX_ENDPOINTS):
        assert call("POST", f"{HOOKS}/endpoints", {"url": URL}).status_code == 201
    refused = call("POST", f"{HOOKS}/endpoints", {"url": URL})
    assert (refused.status_code, refused.json()["code"]) == (400, "too_many_webhook_endpoints")


def test_it_is_changed_disabled_enabled_and_deleted(call: Call, endpoint: dict[str, Any]) -> None:
    here = f"{HOOKS}/endpoints/{endpoint['id']}"
    changed = call("PATCH", here, {"url": URL + "2", "enabled": False}).json()
    assert (changed["url"], changed["state"], changed["disabled_reason"]) == (
        URL + "2",
        "disabled",
        "by_hand",
    )
    refused = call("POST", f"{here}/test")
    assert (refused.status_code, refused.json()["code"]) == (409, "webhook_disabled")
    assert call("PATCH", here, {"enabled": True}).json()["state"] == "enabled"
    assert call("DELETE", here).status_code == 204
    assert call("GET", here).status_code == 404


def test_a_test_is_listed_with_what_is_sent(call: Call, endpoint: dict[str, Any]) -> None:
    sent = call("POST", f"{HOOKS}/endpoints/{endpoint['id']}/test")
    assert sent.status_code == 202
    listed = call("GET", f"{HOOKS}/deliveries?endpoint={endpoint['id']}&state=pending").json()["data"]
    assert listed == [sent.json()]
    shown = call("GET", sent["Location"]).json()
    assert '"type":"test.ping"' in shown["body"]
    assert shown["attempts"] == []
    assert call("POST", sent["Location"] + "/replay").status_code == 202
    assert call("GET", f"{HOOKS}/deliveries?state=done").status_code == 400


def test_a_secret_is_replaced(call: Call, endpoint: dict[str, Any]) -> None:
    rotated = call("POST", f"{HOOKS}/endpoints/{endpoint['id']}/rotate").json()
    assert rotated["secret"] not in ("", endpoint["secret"])
    own = call("GET", f"{HOOKS}/secret").json()["secret"]
    assert call("GET", f"{HOOKS}/secret").json()["secret"] == own
    assert call("POST", f"{HOOKS}/secret/rotate").json()["secret"] != own


def test_what_is_made_under_a_key_is_made_once_and_its_secret_told_again(call: Call) -> None:
    first, again = (call("POST", f"{HOOKS}/endpoints", {"url": URL}, key="one") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert again.headers["Idempotent-Replay"] == "true"
    assert len(call("GET", f"{HOOKS}/endpoints").json()["data"]) == 1
    assert call("POST", f"{HOOKS}/endpoints", {"url": URL + "2"}, key="one").status_code == 422
    rotate = f"{first['Location']}/rotate"
    rotated, repeated = (call("POST", rotate, key="two") for _ in range(2))
    assert rotated.json()["secret"] == repeated.json()["secret"] != first.json()["secret"]
    assert call("POST", rotate, key="three").json()["secret"] != rotated.json()["secret"]
    # The secret of the first response is returned again as long as it signs. No other secret is returned under that
    # key.
    assert call("POST", rotate, key="two").json()["secret"] == rotated.json()["secret"]
    gone = call("POST", f"{HOOKS}/endpoints", {"url": URL}, key="one")
    assert (gone.status_code, gone.json()["code"]) == (410, "idempotent_result_gone")


def test_a_test_a_replay_and_a_new_secret_of_the_account_are_made_once_under_a_key(
    call: Call, endpoint: dict[str, Any]
) -> None:
    def twice(path: str) -> tuple[Any, Any]:
        key = str(uuid4())
        first, again = (call("POST", f"{HOOKS}{path}", key=key) for _ in range(2))
        assert again.status_code == first.status_code
        assert "Idempotent-Replay" not in first
        assert again["Idempotent-Replay"] == "true"
        return first.json(), again.json()

    tests = twice(f"/endpoints/{endpoint['id']}/test")
    assert tests[0]["id"] == tests[1]["id"]
    assert len(call("GET", f"{HOOKS}/deliveries").json()["data"]) == 1
    replays = twice(f"/deliveries/{tests[0]['id']}/replay")
    assert replays[0]["id"] == replays[1]["id"] == tests[0]["id"]
    before = call("GET", f"{HOOKS}/secret").json()["secret"]
    first, again = twice("/secret/rotate")
    assert first == again == call("GET", f"{HOOKS}/secret").json()
    assert first["secret"] != before


def test_a_key_of_one_endpoint_is_not_anothers(call: Call, endpoint: dict[str, Any]) -> None:
    other, key = call("POST", f"{HOOKS}/endpoints", {"url": URL}).json(), str(uuid4())
    assert call("POST", f"{HOOKS}/endpoints/{endpoint['id']}/test", key=key).status_code == 202
    refused = call("POST", f"{HOOKS}/endpoints/{other['id']}/test", key=key)
    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_key_reused")


@pytest.mark.parametrize("url", ["https://localhost/", "http://example.com/", "https://e.com/" + "x" * 2000])
def test_a_form_with_a_bad_address_is_refused_before_its_document_is_stored(
    desk: Desk, tmp_path: Path, url: str
) -> None:
    answer = send_job(desk, {}, form_of(desk, tmp_path, webhook_url=url))
    assert answer.status_code in (400, 422)
    with unit_of_work(desk.identity.tenant_id):
        assert not Document.objects.exists()


def test_a_form_whose_server_is_one_too_many_is_refused_before_its_document_is_stored(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_urls, "MAX_SERVERS", 0)
    answer = send_job(desk, {}, form_of(desk, tmp_path, webhook_url=URL))
    assert answer.json()["code"] == "too_many_webhook_endpoints"
    with unit_of_work(desk.identity.tenant_id):
        assert not Document.objects.exists()


def test_a_range_without_bounds_is_refused(call: Call, endpoint: dict[str, Any]) -> None:
    here = f"{HOOKS}/endpoints/{endpoint['id']}/replay"
    assert call("POST", here, {}).status_code == 400
    asked = {"since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"}
    assert call("POST", here, asked).json() == {"object": "webhook_replay", "replayed": 0}


def test_a_range_under_a_key_is_replayed_once_and_told_again(call: Call, endpoint: dict[str, Any]) -> None:
    here = f"{HOOKS}/endpoints/{endpoint['id']}"
    sent = call("POST", f"{here}/test").json()["id"]
    asked = {"since": "2026-01-01T00:00:00Z", "until": "2126-01-01T00:00:00Z"}
    _failed(sent)
    first = call("POST", f"{here}/replay", asked, key="one")
    assert (first.status_code, first.json()["replayed"]) == (202, 1)
    assert "Idempotent-Replay" not in first
    _failed(sent)
    again = call("POST", f"{here}/replay", {**asked, "since": "2026-01-01T01:00:00+01:00"}, key="one")
    assert (again.status_code, again.json()) == (202, first.json())
    assert again["Idempotent-Replay"] == "true"
    assert call("GET", f"{HOOKS}/deliveries/{sent}").json()["state"] == "failed"
    other = call("POST", f"{here}/replay", {**asked, "only_failed": False}, key="one")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert call("POST", f"{here}/replay", asked, key="two").json()["replayed"] == 1
    assert call("POST", f"{here}/replay", asked, key="three").json()["replayed"] == 0
    assert call("POST", f"{here}/replay", asked, key="three")["Idempotent-Replay"] == "true"


def _failed(delivery_id: str) -> None:
    with operator_work():
        changed = WebhookDelivery.objects.filter(id=delivery_id).update(
            state="failed", ended_at=Now(), next_attempt_at=None
        )
    assert changed == 1


def test_another_tenants_endpoint_was_never_there(
    call: Call, endpoint: dict[str, Any], other_identity: Identity
) -> None:
    nobodys = uuid4()
    for method, end in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("POST", "/rotate"),
        ("POST", "/test"),
        ("POST", "/replay"),
    ):
        foreign, unknown = (
            call(method, f"{HOOKS}/endpoints/{one}{end}", by=other_identity) for one in (endpoint["id"], nobodys)
        )
        assert foreign.status_code == unknown.status_code == 404
        assert foreign.json()["detail"].replace(endpoint["id"], str(nobodys)) == unknown.json()["detail"]


def test_a_job_names_an_address_of_its_own(call: Call, desk: Desk) -> None:
    body = {"model": desk.version.served_model.name, "input": "hello", "webhook_url": URL}
    assert call("POST", "/v1/jobs", body).status_code == 202
    refused = call("POST", "/v1/jobs", {**body, "webhook_url": "https://localhost/"})
    assert refused.json()["code"] == "url_not_allowed"
