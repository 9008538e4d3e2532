import csv

import pytest
from django.test import Client
from django.urls import reverse

from tenants.accounts.models import Membership
from tenants.api_keys.services import create_key
from tenants.audit.acting import OPERATOR, Acting, acting_as
from tenants.audit.services import record
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique


def become(tenant: CreatedTenant, role: str) -> None:
    with operator_work():
        Membership.objects.filter(tenant=tenant.tenant).update(role=role)


def test_the_log_says_who_did_what_to_which_key_and_from_where(member: Client, tenant: CreatedTenant) -> None:
    member.post(reverse("revoke-key", args=[tenant.key.key.id]), REMOTE_ADDR="192.0.2.5")
    page = member.get("/audit").content.decode()
    assert "Revoked an API key" in page
    assert tenant.key.key.prefix in page
    assert tenant.owner.email in page
    assert "192.0.2.5" in page


def test_the_operator_has_neither_name_nor_address_there(member: Client, tenant: CreatedTenant) -> None:
    by = Acting(OPERATOR, tenant.owner.id, "boss@operator.example", address="198.51.100.7", user_agent="Secret/1")
    with acting_as(lambda: by), unit_of_work(tenant.tenant.id):
        record(tenant_id=tenant.tenant.id, action="tenant.changed", changes={"weight": {"before": 1, "after": 3}})
    for place in ("/audit?actor=operator", "/audit.csv?actor=operator"):
        said = member.get(place).content.decode()
        assert "weight" in said
        assert "198.51.100.7" not in said
        assert "Secret/1" not in said
    assert "Changed the account" not in member.get(f"/audit?actor={tenant.owner.id}").content.decode()


def test_it_is_narrowed_by_kind_person_and_day(member: Client, tenant: CreatedTenant) -> None:
    member.post(reverse("revoke-key", args=[tenant.key.key.id]))

    def found(**asked: str) -> list[str]:
        return [told.entry.action for told in member.get("/audit", asked).context["entries"]]

    assert found(kind="key") == ["key.revoked", "key.created"]
    assert found(actor=str(tenant.owner.id)) == ["key.revoked"]
    assert found(actor="system") == ["key.created", "member.added", "tenant.created"]
    assert found(since="2020-01-01", until="2020-12-31") == []
    assert len(found(since="2020-01-01")) == 4


@pytest.mark.parametrize("asked", ["kind=nothing", "actor=me", "since=yesterday"])
def test_what_cannot_be_asked_is_said_and_hides_nothing(member: Client, asked: str) -> None:
    answer = member.get(f"/audit?{asked}")
    assert answer.status_code == 400
    assert asked.partition("=")[2] in answer.content.decode()
    assert len(answer.context["entries"]) == 3
    assert member.get("/audit.csv?" + asked).status_code == 404


def test_older_entries_are_a_page_away(member: Client, tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        for _ in range(60):
            record(tenant_id=tenant.tenant.id, action="results.erased")
    first = member.get("/audit?kind=results")
    assert len(first.context["entries"]) == 50
    second = member.get(f"/audit?kind=results&before={first.context['older']}")
    assert len(second.context["entries"]) == 10
    assert second.context["older"] == ""


def test_a_spreadsheet_takes_no_name_for_a_formula(member: Client, tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        create_key(tenant_id=tenant.tenant.id, name="=HYPERLINK(1)")
    lines = list(csv.DictReader(member.get("/audit.csv").content.decode().splitlines()))
    assert len(lines) == 4
    assert lines[0]["subject"].startswith("'=HYPERLINK(1)")
    assert lines[0]["action"] == "key.created"


def test_nobody_makes_a_key_that_reads_what_they_may_not(member: Client, tenant: CreatedTenant) -> None:
    form = {
        "name": unique("key"),
        "mode": "live",
        "preset": "custom",
        "scopes": ["audit:read"],
        "lifetime": "never",
    }
    made = member.post("/keys/new", form)
    assert made.status_code == 200
    become(tenant, "developer")
    assert "audit:read" not in member.get("/keys/new").content.decode()
    assert member.post("/keys/new", form).status_code == 422
    with unit_of_work(tenant.tenant.id):
        key = create_key(tenant_id=tenant.tenant.id, name="reads", scopes=["audit:read"]).key
    assert member.post(reverse("rotate-key", args=[key.id]), {"overlap": "0"}).status_code == 403
