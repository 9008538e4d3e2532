"""Tests that a page acts on the account for which it was shown, whatever another tab has switched to."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client

from tenants.accounts.models import Membership
from tenants.api_keys.models import ApiKey
from tenants.authentication.chosen_tenant import FIELD, HEADER
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant

JOB = {"model": "embed", "input": "x"}
FIELDS = {"name": "Scanner", "mode": "live", "preset": "all", "lifetime": "never"}


def switch(client: Client, to: CreatedTenant) -> None:
    client.post("/tenant", {"tenant": str(to.tenant.id)})


def headers_of(tenant: CreatedTenant) -> dict[str, str]:
    return {HEADER: str(tenant.tenant.id)}


@pytest.fixture
def switched(both: Client, other_tenant: CreatedTenant) -> Client:
    """Return a browser that has a page of `tenant` open, and that has switched to the other tenant in another tab."""
    with operator_work():
        Membership.objects.filter(tenant=other_tenant.tenant).update(role=Membership.Role.OWNER)
    switch(both, other_tenant)
    return both


def assert_names_both(answer: HttpResponse, mine: CreatedTenant, other: CreatedTenant) -> None:
    assert answer.status_code == 409
    words = answer.content.decode()
    assert mine.tenant.name in words
    assert other.tenant.name in words


@pytest.mark.parametrize("path", ["/keys/new", "/keys", "/jobs"])
def test_a_page_tells_its_scripts_whose_it_is(both: Client, tenant: CreatedTenant, path: str) -> None:
    page = both.get(path).content.decode()
    assert f'<meta name="tenant" content="{tenant.tenant.id}">' in page
    assert f'"{HEADER}": "{tenant.tenant.id}"' in page


@pytest.mark.parametrize("path", ["/keys/new", "/keys/{key}/rotate", "/keys/{key}/revoke"])
def test_a_plain_form_tells_whose_it_is(both: Client, tenant: CreatedTenant, path: str) -> None:
    page = both.get(path.format(key=tenant.key.key.id)).content.decode()
    assert f'name="{FIELD}" value="{tenant.tenant.id}"' in page


def test_a_form_of_one_account_makes_no_key_in_another(
    switched: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    answer = switched.post("/keys/new", {**FIELDS, FIELD: str(tenant.tenant.id)})
    assert_names_both(answer, tenant, other_tenant)  # type: ignore[arg-type]
    for one in (tenant, other_tenant):
        with unit_of_work(one.tenant.id):
            assert ApiKey.objects.count() == 1


def test_a_script_of_one_account_runs_no_job_in_another(
    switched: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    answer = switched.post("/v1/jobs", JOB, content_type="application/json", headers=headers_of(tenant))
    assert_names_both(answer, tenant, other_tenant)  # type: ignore[arg-type]
    assert answer.json()["code"] == "account_switched"
    other = switched.post("/v1/jobs", JOB, content_type="application/json", headers=headers_of(other_tenant))
    assert other.json().get("code") != "account_switched"


def test_a_script_of_a_page_is_answered_with_a_problem(switched: Client, tenant: CreatedTenant) -> None:
    answer = switched.post("/jobs/bulk/cancel", headers={**headers_of(tenant), "Accept": "*/*"})
    assert (answer.status_code, answer["Content-Type"]) == (409, "application/problem+json")
    assert "switched" in answer.json()["detail"]


def test_a_part_that_is_read_for_another_account_loads_the_whole_page_again(
    switched: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    part = switched.get("/log", headers={**headers_of(tenant), "HX-Request": "true"})
    assert (part["HX-Refresh"], part.content) == ("true", b"")
    assert "HX-Refresh" not in switched.get("/log", headers={**headers_of(other_tenant), "HX-Request": "true"})


def test_what_was_left_is_not_named_to_whoever_left_it(
    switched: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    with operator_work():
        Membership.objects.filter(tenant=tenant.tenant, user=tenant.owner).delete()
    words = switched.post("/keys/new", {FIELD: str(tenant.tenant.id)}).content.decode()
    assert "an account that you are no longer a member of" in words
    assert tenant.tenant.name not in words


def test_whoever_was_removed_is_told_so_and_not_put_into_another_account(
    switched: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    with operator_work():
        Membership.objects.filter(tenant=other_tenant.tenant, user=tenant.owner).delete()
    page = switched.get("/jobs")
    assert page.status_code == 403
    assert "No longer a member" in page.content.decode()
    refused = switched.post("/v1/jobs", JOB, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_a_member")
    assert re.search(rf"Switch to {tenant.tenant.name}", page.content.decode())
    switch(switched, tenant)
    assert switched.get("/jobs").status_code == 200
