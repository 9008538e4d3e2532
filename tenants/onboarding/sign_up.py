"""Makes the tenant of a person who signs up by themselves."""

from functools import partial

from django.db import transaction

from tenants.accounts.models import Membership, Tenant, User
from tenants.accounts.services import told_of_member
from tenants.audit.services import record
from tenants.billing.ledger.subscriptions import give_default_plan
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.ids import uuid7


def make_first_tenant(*, owner: User, name: str) -> Tenant:
    """In the caller's transaction. Without a key: nobody has shown yet that the address is theirs."""
    tenant_id = uuid7()
    with unit_of_work(tenant_id):
        tenant = Tenant.objects.create(id=tenant_id, name=name)
        member = Membership.objects.create(tenant=tenant, user=owner, role=Membership.Role.OWNER)
        record(tenant_id=tenant_id, deed="tenant.created", subject_id=tenant_id, subject=name)
        told_of_member("member.added", member)
        # Plans are operators' to give, who see no tenant before it is there.
        transaction.on_commit(partial(give_default_plan, tenant_id=tenant_id), using=APP)
    return tenant
