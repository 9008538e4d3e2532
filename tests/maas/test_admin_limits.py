"""Tests that operators change limits of tenants and keys, and see invalid values explained beside their fields."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tenants.accounts.models import Tenant
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import revoke_key
from tenants.authentication.selectors import identify_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.limits.models import ModelLimit
from tenants.limits.quota.models import StoredBytes
from tenants.limits.rates.rates import NAMES
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.conftest import logged
from tests.tenants.plans.selling import archive_all_plans


def page_of(tenant: CreatedTenant) -> str:
    return reverse("admin:tenants_tenant_change", args=[tenant.tenant.pk])


def key_page(tenant: CreatedTenant) -> str:
    return reverse("admin:tenants_apikey_change", args=[tenant.key.key.pk])


@pytest.fixture(autouse=True, scope="module")
def _no_other_plans() -> None:
    archive_all_plans()


def send(operator: Client, tenant: CreatedTenant, *models: dict[str, str], **fields: str) -> Any:
    return operator.post(page_of(tenant), form_of(operator, tenant, *models) | fields)


def form_of(operator: Client, tenant: CreatedTenant, *models: dict[str, str]) -> dict[str, str]:
    members, limits = (one.formset for one in operator.get(page_of(tenant)).context["inline_admin_formsets"])
    already = limits.initial_form_count()
    form = {
        "name": "n",
        "state": "active",
        "weight": "1",
        f"{members.prefix}-TOTAL_FORMS": str(members.initial_form_count()),
        f"{members.prefix}-INITIAL_FORMS": str(members.initial_form_count()),
        f"{limits.prefix}-TOTAL_FORMS": str(already + len(models)),
        f"{limits.prefix}-INITIAL_FORMS": str(already),
    }
    form |= {f"{members.prefix}-{row}-id": str(one.instance.pk) for row, one in enumerate(members.initial_forms)}
    for row, model in enumerate(models, start=already):
        form |= {f"{limits.prefix}-{row}-{name}": value for name, value in model.items()}
    return form


def test_a_tenants_limits_are_changed_on_its_page_and_the_change_is_on_record(
    operator: Client, tenant: CreatedTenant
) -> None:
    assert send(operator, tenant, requests_per_minute="60", unfinished_jobs="0").status_code == 302
    identity = identify_key(tenant.key.text)
    assert identity.rates.requests[0].amount == 60
    assert identity.limits.unfinished_jobs is None
    assert "Requests per minute" in logged(tenant.tenant.pk)


def test_a_tenants_storage_is_limited_on_its_page_which_says_what_is_used(
    operator: Client, tenant: CreatedTenant
) -> None:
    with unit_of_work(tenant.tenant.pk):
        StoredBytes.objects.create(tenant_id=tenant.tenant.pk, size_bytes=2_000)
    assert send(operator, tenant, storage_mb="5").status_code == 302
    page = operator.get(page_of(tenant)).content.decode()
    assert "2 kB of 5 MB" in page


def test_a_tenants_part_of_the_workers_is_changed_on_its_page(operator: Client, tenant: CreatedTenant) -> None:
    assert send(operator, tenant, weight="3", pages_at_once="8", unfinished_pages="100").status_code == 302
    with operator_work():
        changed = Tenant.objects.get(pk=tenant.tenant.pk)
    assert (changed.weight, changed.pages_at_once, changed.unfinished_pages) == (3, 8, 100)


def test_a_weight_or_a_limit_that_is_none_is_refused_beside_its_field(operator: Client, tenant: CreatedTenant) -> None:
    form = form_of(operator, tenant)
    for weight, limit in (("0", "-1"), ("-1", "100000001"), ("1001", "many"), ("a", "1.5")):
        wrong = {"weight": weight, "requests_per_minute": limit}
        answer = operator.post(page_of(tenant), form | wrong)
        assert answer.status_code == 200
        assert answer.context["adminform"].form.errors.keys() == wrong.keys()
    with operator_work():
        kept = Tenant.objects.get(pk=tenant.tenant.pk)
    assert (kept.weight, kept.requests_per_minute) == (None, None)


def test_an_empty_weight_is_the_plans(operator: Client, tenant: CreatedTenant) -> None:
    for weight, kept in (("3", 3), ("", None)):
        assert send(operator, tenant, weight=weight).status_code == 302
        with operator_work():
            assert Tenant.objects.get(pk=tenant.tenant.pk).weight == kept


def test_limits_of_a_model_are_given_on_the_tenants_page(operator: Client, tenant: CreatedTenant) -> None:
    answer = send(operator, tenant, {"model": "embed", "tokens_per_minute": "5000"})
    assert answer.status_code == 302, answer.context["errors"]
    assert identify_key(tenant.key.text).rates.of_model("embed").tokens[0].amount == 5000


def test_what_makes_no_sense_for_a_model_is_said_in_its_row(operator: Client, tenant: CreatedTenant) -> None:
    wrong = {
        "without a version: embed": {"model": "embed@1", "tokens_per_minute": "5"},
        "Enter at least one limit": {"model": "ocr"},
        "greater than or equal to 1": {"model": "layout", "calls_at_once": "0"},
        "greater than or equal to": {"model": "rerank", "calls_at_once": "-1"},
    }
    answer = send(operator, tenant, *wrong.values())
    assert answer.status_code == 200
    rows = answer.context["inline_admin_formsets"][1].formset.forms
    assert len(rows) == len(wrong)
    for words, row in zip(wrong, rows, strict=True):
        assert words in str(row.errors)
        assert words in answer.content.decode()
    with operator_work():
        assert not ModelLimit.objects.filter(tenant=tenant.tenant).exists()


def test_a_model_is_limited_once(operator: Client, tenant: CreatedTenant) -> None:
    send(operator, tenant, {"model": "embed", "tokens_per_minute": "5000"})
    with operator_work():
        row = ModelLimit.objects.get(tenant=tenant.tenant)
    limits = operator.get(page_of(tenant)).context["inline_admin_formsets"][1].formset
    again = {f"{limits.prefix}-0-id": str(row.pk), f"{limits.prefix}-0-model": "embed"}
    again |= {f"{limits.prefix}-0-tokens_per_minute": "5000"}
    answer = send(operator, tenant, {"model": "embed", "calls_at_once": "2"}, **again)
    assert answer.status_code == 200
    assert "embed already has limits" in answer.content.decode()


def test_a_keys_limits_are_changed_on_its_page_and_nothing_else_is(operator: Client, tenant: CreatedTenant) -> None:
    form = {"requests_per_minute": "5", "name": "another", "revoked_at_0": "2026-01-01", "livemode": ""}
    assert operator.post(key_page(tenant), form).status_code == 302
    with unit_of_work(tenant.tenant.pk):
        key = ApiKey.objects.get(pk=tenant.key.key.pk)
    assert (key.requests_per_minute, key.name, key.revoked_at, key.livemode) == (
        5,
        tenant.key.key.name,
        None,
        True,
    )
    assert "Requests per minute" in logged(key.pk)


def test_a_key_revoked_while_its_page_is_open_stays_revoked(operator: Client, tenant: CreatedTenant) -> None:
    operator.get(key_page(tenant))
    with unit_of_work(tenant.tenant.pk):
        revoke_key(key_id=tenant.key.key.pk)
    assert operator.post(key_page(tenant), {"calls_at_once": "3"}).status_code == 302
    with unit_of_work(tenant.tenant.pk):
        key = ApiKey.objects.get(pk=tenant.key.key.pk)
    assert key.revoked_at is not None
    assert key.calls_at_once == 3


def test_a_keys_limit_of_nothing_is_refused(operator: Client, tenant: CreatedTenant) -> None:
    for name in NAMES:
        assert operator.post(key_page(tenant), {name: "0"}).status_code == 200
