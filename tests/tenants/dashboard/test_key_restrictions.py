"""Tests that the restrictions of a key are set when it is made, or later, by its account or an operator."""

from datetime import timedelta

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tenants.accounts.services import create_operator
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import keep_key_to, note_key_use, rotate_key
from tenants.audit.models import AuditEntry
from tenants.authentication.selectors import identify_key
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.errors import InvalidKey
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique

FORM = {"name": "import", "mode": "live", "preset": "all", "lifetime": "never"}


def kept(tenant: CreatedTenant) -> tuple[list[str], list[str]]:
    with unit_of_work(tenant.tenant.id):
        key = ApiKey.objects.get(id=tenant.key.key.id)
    return key.allowed_models, key.allowed_networks


def test_a_key_is_made_with_its_restrictions(member: Client, tenant: CreatedTenant) -> None:
    member.post(
        "/keys/new",
        {**FORM, "allowed_models": "embed, parse", "allowed_networks": "203.0.113.7\n2001:db8::/32"},
    )
    with unit_of_work(tenant.tenant.id):
        key = ApiKey.objects.get(name="import")
    assert key.allowed_models == ["embed", "parse"]
    assert key.allowed_networks == ["203.0.113.7/32", "2001:db8::/32"]
    shown = member.get("/keys").content.decode()
    assert "only embed, parse" in shown
    assert "from 203.0.113.7/32, 2001:db8::/32" in shown


def test_what_is_no_network_is_said_beside_it_and_nothing_is_lost(member: Client) -> None:
    answer = member.post("/keys/new", {**FORM, "allowed_models": "embed", "allowed_networks": "203.0.113.7/24"})
    said = answer.content.decode()
    assert answer.status_code == 422
    assert "Did you mean 203.0.113.0/24?" in said
    assert "203.0.113.7/24</textarea>" in said


def test_restrictions_are_changed_later_and_that_is_written_down(member: Client, tenant: CreatedTenant) -> None:
    at = reverse("keep-key-to", args=[tenant.key.key.id])
    assert member.post(at, {"allowed_models": "embed", "allowed_networks": ""}).status_code == 302
    assert kept(tenant) == (["embed"], [])
    assert "embed</textarea>" in member.get(at).content.decode()
    assert identify_key(tenant.key.text).models == ("embed",)
    member.post(at, {"allowed_models": "", "allowed_networks": "203.0.113.0/24"})
    with unit_of_work(tenant.tenant.id):
        entry = AuditEntry.objects.filter(action="key.changed").latest("id")
    assert entry.changes == {
        "allowed_models": {"before": ["embed"], "after": []},
        "allowed_networks": {"before": [], "after": ["203.0.113.0/24"]},
    }


def test_a_rotated_key_hands_its_restrictions_on(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        keep_key_to(key_id=tenant.key.key.id, allowed_models=["embed"], allowed_networks=["203.0.113.0/24"])
        made = rotate_key(key_id=tenant.key.key.id, overlap=timedelta(hours=1))
    assert made is not None
    assert (made.key.allowed_models, made.key.allowed_networks) == (["embed"], ["203.0.113.0/24"])


def test_an_operator_changes_them_too(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(create_operator(email=f"{unique('operator')}@example.com", password="correct horse"))
    at = reverse("admin:tenants_apikey_change", args=[tenant.key.key.id])
    wrong = client.post(at, {"allowed_models": "", "allowed_networks": "nowhere"})
    assert "is not an IP address or network" in wrong.content.decode()
    assert client.post(at, {"allowed_models": "embed,parse", "allowed_networks": "203.0.113.0/24"}).status_code == 302
    assert kept(tenant) == (["embed", "parse"], ["203.0.113.0/24"])
    with unit_of_work(tenant.tenant.id):
        entry = AuditEntry.objects.latest("id")
    assert (entry.action, entry.actor_kind) == ("key.changed", "operator")


def test_where_a_key_was_last_used_from_is_shown(member: Client, tenant: CreatedTenant) -> None:
    note_key_use(tenant_id=tenant.tenant.id, used_from={tenant.key.key.id: "192.0.2.77"})
    assert "from 192.0.2.77" in member.get("/keys").content.decode()


def test_a_wrong_checksum_is_refused_without_a_query(tenant: CreatedTenant) -> None:
    wrong = tenant.key.text[:-1] + ("0" if tenant.key.text[-1] != "0" else "1")
    with CaptureQueriesContext(connections[APP]) as captured, pytest.raises(InvalidKey):
        identify_key(wrong)
    assert len(captured) == 0
