"""Tests that every admitted caller comes with the limits that apply to it."""

from tenants.accounts.models import Tenant
from tenants.api_keys.models import ApiKey
from tenants.authentication.selectors import identify_key, identify_member
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.limits.models import ModelLimit
from tenants.limits.rates.limits import CallerLimits
from tenants.onboarding.create_tenant import CreatedTenant


def amounts(limits: CallerLimits) -> dict[str, int]:
    """Return the amounts by the names that headers use."""
    return {
        one.policy: one.amount for kind in ("requests", "tokens", "pages", "calls") for one in getattr(limits, kind)
    }


def test_a_tenant_without_limits_of_its_own_has_the_installations(tenant: CreatedTenant) -> None:
    identity = identify_key(tenant.key.text)
    assert amounts(identity.rates) == {"requests": 600_000, "pages": 100_000, "calls": 1_000}
    assert identity.limits.unfinished_jobs == 100_000


def test_a_tenants_own_limits_may_be_looser_or_none_at_all(tenant: CreatedTenant) -> None:
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(
            requests_per_minute=0, tokens_per_minute=7, pages_per_minute=200_000, unfinished_jobs=3
        )
    identity = identify_key(tenant.key.text)
    assert amounts(identity.rates) == {"tokens": 7, "pages": 200_000, "calls": 1_000}
    assert identity.limits.unfinished_jobs == 3


def test_a_keys_limits_hold_beside_its_tenants(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        ApiKey.objects.filter(id=tenant.key.key.id).update(requests_per_minute=5, calls_at_once=2)
    found = amounts(identify_key(tenant.key.text).rates)
    assert found == {"requests": 600_000, "key-requests": 5, "pages": 100_000, "calls": 1_000, "key-calls": 2}


def test_limits_of_a_model_come_with_the_key_and_with_the_person(
    tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    with unit_of_work(tenant.tenant.id):
        ModelLimit.objects.create(tenant=tenant.tenant, model="embed", tokens_per_minute=9)
    member = identify_member(tenant.owner.id)
    assert member is not None
    for rates in (identify_key(tenant.key.text).rates, member.rates):
        assert [one.amount for one in rates.of_model("embed").tokens] == [9]
        assert rates.of_model("ocr").tokens == ()
    assert not identify_key(other_tenant.key.text).rates.of_model("embed").tokens


def test_all_keys_of_a_tenant_count_under_one_name(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    member = identify_member(tenant.owner.id)
    assert member is not None
    own = identify_key(tenant.key.text).rates.requests[0].key
    assert member.rates.requests[0].key == own
    assert identify_key(other_tenant.key.text).rates.requests[0].key != own
