"""Makes the tenant of a person who signs up by themselves."""

from tenants.context import unit_of_work
from tenants.ids import uuid7
from tenants.models import Membership, Tenant, User


def make_first_tenant(*, owner: User, name: str) -> Tenant:
    """In the caller's transaction. Without a key: nobody has shown yet that the address is theirs."""
    tenant_id = uuid7()
    with unit_of_work(tenant_id):
        tenant = Tenant.objects.create(id=tenant_id, name=name)
        Membership.objects.create(tenant=tenant, user=owner, role=Membership.Role.OWNER)
    return tenant
