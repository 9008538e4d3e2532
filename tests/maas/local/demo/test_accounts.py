"""The plan that a new installation sells."""

import pytest

from maas.local.demo.accounts import sell_starter
from tenants.core.db.unit_of_work import operator_work
from tenants.limits.quota.capacity import max_stored_bytes
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import Plan
from tests.fixtures import unique


@pytest.fixture
def code(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the code of a plan that no other test has made or changed."""
    code = unique("starter")
    monkeypatch.setattr("maas.local.demo.accounts.STARTER", code)
    return code


def test_starter_bounds_what_is_stored(tenant: CreatedTenant, code: str) -> None:
    sell_starter(tenant.tenant.id)
    with operator_work():
        assert max_stored_bytes(tenant.tenant.id) == 10_000_000_000


def test_a_plan_that_is_there_keeps_its_limits_and_so_do_who_has_it(tenant: CreatedTenant, code: str) -> None:
    with operator_work():
        Plan.objects.create(code=code, name="Sold for long", storage_mb=None)
    sell_starter(tenant.tenant.id)
    with operator_work():
        assert Plan.objects.get(code=code).storage_mb is None
