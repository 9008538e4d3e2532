"""Creates the tenant of a person who signs up by themselves."""

from functools import partial

from django.db import transaction

from tenants.accounts.models import Membership, Tenant, User
from tenants.accounts.services import audit_member
from tenants.audit.services import record
from tenants.billing.ledger.subscriptions import give_default_plan
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.ids import uuid7


def make_first_tenant(*, owner: User, name: str) -> Tenant:
    """Create the tenant in the caller's transaction. It gets no key, because the person has not yet shown that the
    address is theirs.
    """
    tenant_id = uuid7()
    with unit_of_work(tenant_id):
        tenant = Tenant.objects.create(id=tenant_id, name=name)
        member = Membership.objects.create(tenant=tenant, user=owner, role=Membership.Role.OWNER)
        record(tenant_id=tenant_id, action="tenant.created", subject_id=tenant_id, subject=name)
        audit_member("member.added", member)
        # Plans are given by operators, who cannot see a tenant before it is committed.
        transaction.on_commit(partial(give_default_plan, tenant_id=tenant_id), using=APP)
    return tenant
