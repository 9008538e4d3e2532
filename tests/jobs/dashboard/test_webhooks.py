"""Tests of the webhook pages of the dashboard, as a member of the tenant sees them."""

import re
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client

from jobs.api.serializers.webhooks import attempt_json
from jobs.webhooks.models import WebhookAttempt, WebhookEndpoint
from jobs.webhooks.services import create_endpoint, send_test
from tenants.accounts.models import Membership
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant

URL = "https://example.com/hook"


@pytest.fixture
def endpoint_id(identity: Identity) -> str:
    return str(create_endpoint(identity=identity, url=URL, events=["job.*"]).endpoint.id)


def test_nobody_has_one_at_first_and_is_offered_to_add_it(member: Client) -> None:
    page = member.get("/webhooks").content.decode()
    assert "No webhooks yet" in page
    assert "/webhooks/new" in page


def test_one_is_added_and_its_secret_shown_once(member: Client) -> None:
    page = member.post("/webhooks/new", {"url": URL, "events": ["job.*"]}).content.decode()
    assert re.search(r"whsec_[A-Za-z0-9+/=]{44}", page.replace("&#x2B;", "+"))
    listed = member.get("/webhooks").content.decode()
    assert URL in listed
    assert "whsec_" not in listed


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"url": "http://10.0.0.1/", "events": ["*"]}, "not one of the available choices"),
        ({"url": "http://10.0.0.1/", "events": ["job.*"]}, "only https://"),
        ({"url": URL}, "Select at least one"),
    ],
)
def test_what_is_wrong_with_a_new_one_is_said(member: Client, form: dict[str, object], words: str) -> None:
    answer = member.post("/webhooks/new", form)
    assert answer.status_code == 422
    assert words in answer.content.decode()


def test_its_messages_are_shown_and_its_buttons_act(member: Client, identity: Identity, endpoint_id: str) -> None:
    delivery = send_test(identity=identity, endpoint_id=endpoint_id)
    here = f"/webhooks/{endpoint_id}"
    assert delivery.message.webhook_id in member.get(here).content.decode()
    for action, words in (
        ("test", "Test message sent"),
        ("disable", "Endpoint disabled"),
        ("test", "Enable it first"),
        ("enable", "Endpoint enabled"),
    ):
        assert words in member.post(f"{here}/{action}", follow=True).content.decode()
    replayed = member.post(f"/webhooks/deliveries/{delivery.id}/replay", follow=True)
    assert "Message sent again" in replayed.content.decode()
    assert "whsec_" in member.post(f"{here}/rotate").content.decode()
    assert "Endpoint deleted" in member.post(f"{here}/delete", follow=True).content.decode()
    assert member.get(here).status_code == 404


def test_an_answer_is_shown_or_why_there_is_none(member: Client, identity: Identity, endpoint_id: str) -> None:
    delivery = send_test(identity=identity, endpoint_id=endpoint_id)
    with unit_of_work(identity.tenant_id):
        made = [
            WebhookAttempt.objects.create(
                tenant_id=identity.tenant_id,
                delivery_id=delivery.id,
                number=number,
                started_at=delivery.created_at,
                duration_ms=5,
                status=status,
                response_body=answer,
            )
            for number, status, answer in ((1, 500, "<out of order>"), (2, 500, ""), (3, 200, ""))
        ]
    page = member.get(f"/webhooks/{endpoint_id}").content.decode()
    assert "<code>&lt;out of order&gt;</code>" in page
    notes = [str(attempt_json(one)["response_note"]) for one in made]
    assert notes[0] == ""
    assert len(set(notes)) == 3
    assert all(note in page for note in notes)


def test_a_viewer_sees_none_and_changes_none(member: Client, tenant: CreatedTenant, endpoint_id: str) -> None:
    with operator_work():
        Membership.objects.filter(user=tenant.owner).update(role="viewer")
    for answer in (member.get("/webhooks"), member.post(f"/webhooks/{endpoint_id}/test")):
        assert answer.status_code == 403


def test_one_that_is_left_alone_says_until_when_and_a_test_ends_that(
    member: Client, identity: Identity, endpoint_id: str
) -> None:
    here = f"/webhooks/{endpoint_id}"
    with unit_of_work(identity.tenant_id):
        endpoints = WebhookEndpoint.objects.filter(id=endpoint_id)
        endpoints.update(failures=5, paused_until=Now() + timedelta(minutes=5))
    assert "paused until" in member.get(here).content.decode()
    assert "paused until" not in member.post(f"{here}/test", follow=True).content.decode()
