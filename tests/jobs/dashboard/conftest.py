"""Clients of members of the tenant of `desk` that are signed in."""

import pytest
from django.test import Client

from tenants.accounts.models import Membership
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant


def html(client: Client, address: str, **headers: str) -> str:
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def member(client: Client, tenant: CreatedTenant) -> Client:
    client.force_login(tenant.owner)
    return client


@pytest.fixture
def viewer(member: Client, tenant: CreatedTenant) -> Client:
    with operator_work():
        Membership.objects.filter(user=tenant.owner).update(role=Membership.Role.VIEWER)
    return member
