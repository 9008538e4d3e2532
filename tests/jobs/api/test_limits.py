"""Tests of `/v1/limits`: it shows a caller every limit that applies to it, and no limit of another."""

from typing import Any

import pytest
from pytest_django import Settings
from rest_framework.test import APIRequestFactory

from inference.registry.models import ModelVersion, ServedModel
from jobs.api.limits import LimitList
from tenants.accounts.models import Tenant
from tenants.api.authentication import IDENTITY
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import create_key
from tenants.authentication.selectors import identify_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.limits.models import ModelLimit
from tenants.limits.rates.free_day import free_day
from tenants.limits.rates.spending import Price, spending
from tenants.onboarding.create_tenant import CreatedTenant


def told(tenant: CreatedTenant, key: str = "") -> dict[tuple[str, str], dict[str, Any]]:
    request = APIRequestFactory().get("/v1/limits")
    request.META[IDENTITY] = identify_key(key or tenant.key.text)
    answer = LimitList.as_view()(request)
    assert answer.status_code == 200
    return {(one["scope"], one["name"]): one for one in answer.data["data"]}


@pytest.fixture
def limited(tenant: CreatedTenant) -> CreatedTenant:
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(pages_per_minute=600, calls_at_once=0, unfinished_jobs=3)
        ModelLimit.objects.create(tenant=tenant.tenant, model="embed", tokens_per_minute=50)
    with unit_of_work(tenant.tenant.id):
        ApiKey.objects.filter(id=tenant.key.key.id).update(requests_per_minute=5)
    return tenant


def test_every_limit_is_told_with_what_is_left(limited: CreatedTenant) -> None:
    pages = identify_key(limited.key.text).rates.pages[0]
    spending().spend([Price(pages, 60)])
    limits = told(limited)
    assert set(limits) == {
        ("tenant", "requests"),
        ("key", "requests"),
        ("tenant", "pages"),
        ("model", "tokens"),
        ("tenant", "unfinished_jobs"),
        ("tenant", "unfinished_pages"),
        ("tenant", "own_models"),
        ("tenant", "own_model_mb"),
    }
    assert limits["key", "requests"]["amount"] == 5
    assert 540 <= limits["tenant", "pages"]["remaining"] <= 560
    assert 0 < limits["tenant", "pages"]["resets_in_s"] <= 6
    assert limits["model", "tokens"]["model"] == "embed"
    assert limits["tenant", "unfinished_jobs"]["remaining"] == 3
    assert limits["tenant", "unfinished_pages"]["remaining"] == 500_000


def test_a_test_key_is_told_what_is_left_of_its_accounts_day(limited: CreatedTenant, settings: Settings) -> None:
    settings.MAAS_TEST_PAGES_A_DAY, settings.MAAS_TEST_CALLS_A_DAY = 20, 0
    with unit_of_work(limited.tenant.id):
        key = create_key(tenant_id=limited.tenant.id, name="test", livemode=False)
    free_day().spend(limited.tenant.id, "pages", 3)
    limits = told(limited, key.text)
    assert limits["tenant", "test_pages"]["remaining"] == 17
    assert 0 < limits["tenant", "test_pages"]["resets_in_s"] <= 86_400
    assert ("tenant", "test_calls") not in limits
    assert ("tenant", "test_pages") not in told(limited)


def test_storage_is_told_where_it_is_limited(limited: CreatedTenant) -> None:
    assert ("tenant", "storage") not in told(limited)
    with operator_work():
        Tenant.objects.filter(id=limited.tenant.id).update(storage_mb=3)
    storage = told(limited)["tenant", "storage"]
    assert (storage["amount"], storage["remaining"], storage["window_s"]) == (3_000_000, 3_000_000, None)


def test_own_models_are_told_with_how_many_and_how_large_they_may_be(limited: CreatedTenant) -> None:
    with unit_of_work(limited.tenant.id):
        served = ServedModel.objects.create(
            tenant_id=limited.tenant.id, name="mine", accepts=["tensors"], price_meter="call", price_micros=0
        )
        ModelVersion.objects.create(tenant_id=limited.tenant.id, served_model=served, number=1, runtime="onnx")
    with operator_work():
        Tenant.objects.filter(id=limited.tenant.id).update(own_models=3, own_model_mb=7)
    limits = told(limited)
    assert (limits["tenant", "own_models"]["amount"], limits["tenant", "own_models"]["remaining"]) == (3, 2)
    assert (limits["tenant", "own_model_mb"]["amount"], limits["tenant", "own_model_mb"]["remaining"]) == (7, None)


def test_to_ask_spends_nothing(limited: CreatedTenant) -> None:
    for _ in range(3):
        assert told(limited)["key", "requests"]["remaining"] == 5


def test_another_tenants_limits_are_not_told(limited: CreatedTenant, other_tenant: CreatedTenant) -> None:
    assert ("model", "tokens") not in told(other_tenant)
    assert told(other_tenant)["tenant", "pages"]["amount"] == 100_000


def test_what_is_left_is_not_made_up_where_redis_is_away(
    limited: CreatedTenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spending(), "standings", lambda limits: None)
    assert told(limited)["tenant", "pages"]["remaining"] is None
