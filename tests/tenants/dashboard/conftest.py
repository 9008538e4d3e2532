"""People of a tenant, signed in."""

from collections.abc import Callable

import pytest
from django.test import Client

from tenants.accounts.models import Membership, User
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique


@pytest.fixture
def member(client: Client, tenant: CreatedTenant) -> Client:
    client.force_login(tenant.owner)
    return client


@pytest.fixture
def stranger(other_tenant: CreatedTenant) -> Client:
    """A member of another tenant."""
    client = Client()
    client.force_login(other_tenant.owner)
    return client


@pytest.fixture
def in_role(member: Client, tenant: CreatedTenant) -> Callable[[str], Client]:
    def change(role: str) -> Client:
        with operator_work():
            Membership.objects.filter(user=tenant.owner).update(role=role)
        return member

    return change


@pytest.fixture
def both(client: Client, tenant: CreatedTenant, other_tenant: CreatedTenant) -> Client:
    """Return a browser of a person who belongs to both tenants, to `tenant` for longer."""
    with operator_work():
        Membership.objects.create(tenant=other_tenant.tenant, user=tenant.owner, role=Membership.Role.VIEWER)
    client.force_login(tenant.owner)
    return client


@pytest.fixture
def operator() -> User:
    with operator_work():
        return User.objects.create_superuser(f"{unique('operator')}@example.com", "correct horse")
