from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone
from pytest_django import Settings

from tenants.accounts.models import Membership, Tenant
from tenants.api_keys.format import new_key
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import create_key
from tenants.authentication.selectors import identify_key, identify_member
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.errors import InvalidKey, NotAMember, TenantSuspended
from tenants.onboarding.create_tenant import CreatedTenant

UNKNOWN = new_key(livemode=True).text


def test_a_key_names_its_tenant(tenant: CreatedTenant) -> None:
    identity = identify_key(tenant.key.text)
    assert (identity.tenant_id, identity.key_id) == (tenant.tenant.id, tenant.key.key.id)


@pytest.mark.parametrize("text", ["", "maas_live_x", UNKNOWN], ids=["empty", "short", "well-formed"])
def test_an_unknown_key_is_refused(text: str) -> None:
    with pytest.raises(InvalidKey):
        identify_key(text)


def test_a_known_id_with_another_secret_is_refused(tenant: CreatedTenant) -> None:
    forged = new_key(livemode=True)
    forged = type(forged)(tenant.key.key.public_id, forged.secret, True)
    with pytest.raises(InvalidKey):
        identify_key(forged.text)


def test_an_expired_key_is_refused(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(InvalidKey, match="expired"):
        identify_key(tenant.key.text)


def test_the_keys_of_a_suspended_tenant_do_not_work(tenant: CreatedTenant) -> None:
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(state=Tenant.State.SUSPENDED)
    with pytest.raises(TenantSuspended):
        identify_key(tenant.key.text)


def test_a_member_acts_for_their_tenant(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    identity = identify_member(tenant.owner.id)
    assert identity is not None
    assert identity.tenant_id == tenant.tenant.id


def test_a_person_with_several_tenants_acts_for_the_one_they_chose(
    tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    with operator_work():
        Membership.objects.create(tenant=other_tenant.tenant, user=tenant.owner)
    chosen = identify_member(tenant.owner.id, other_tenant.tenant.id)
    assert chosen is not None
    assert chosen.tenant_id == other_tenant.tenant.id


def test_nobody_acts_for_another_tenant_than_the_one_they_chose(
    tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    with pytest.raises(NotAMember):
        identify_member(tenant.owner.id, other_tenant.tenant.id)


def test_a_viewer_may_only_read(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        Membership.objects.update(role=Membership.Role.VIEWER)
    identity = identify_member(tenant.owner.id)
    assert identity is not None
    assert all(scope.endswith(":read") for scope in identity.scopes)


def test_a_key_has_only_the_scopes_it_was_made_with(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        made = create_key(tenant_id=tenant.tenant.id, name="reader", scopes=["jobs:read"])
    assert identify_key(made.text).scopes == {"jobs:read"}


def test_an_unknown_scope_is_refused(tenant: CreatedTenant) -> None:
    with pytest.raises(ValueError, match="unknown scopes"), unit_of_work(tenant.tenant.id):
        create_key(tenant_id=tenant.tenant.id, name="odd", scopes=["jobs:everything"])


def test_the_secret_is_nowhere_in_the_stored_row(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        row = ApiKey.objects.values().get(id=tenant.key.key.id)
    secret = tenant.key.text.rsplit("_", 1)[1][:32]
    assert secret not in str(row)


def test_no_key_works_without_a_pepper(tenant: CreatedTenant, settings: Settings) -> None:
    settings.MAAS_KEY_PEPPER = ""
    with pytest.raises(ImproperlyConfigured, match="MAAS_KEY_PEPPER"):
        identify_key(tenant.key.text)
