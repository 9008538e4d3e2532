"""Creates a tenant with its owner, for a person who signs up, or by an operator and ready to be used."""

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db import transaction

from tenants.accounts.models import Membership, Tenant, User
from tenants.accounts.services import audit_member
from tenants.api_keys.services import CreatedKey, create_key
from tenants.audit.services import record
from tenants.billing.ledger.subscriptions import give_default_plan
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.identity.identity import KEY_SCOPES


@dataclass(frozen=True)
class CreatedTenant:
    tenant: Tenant
    owner: User
    key: CreatedKey


def create_tenant(
    *, name: str, email: str, password: str | None = None, tenant_id: UUID | None = None
) -> CreatedTenant:
    """Create a tenant with the default plan, its owner, who keeps a known password, and a key with all key scopes."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        existing = User.objects.filter(email=email.lower()).first()
        owner = existing or User.objects.create_user(email, password)
        tenant = _created(tenant_id or uuid7(), name, owner)
        give_default_plan(tenant_id=tenant.id)
        key = create_key(tenant_id=tenant.id, name="First key", scopes=KEY_SCOPES)
    return CreatedTenant(tenant, owner, key)


def make_first_tenant(*, owner: User, name: str) -> Tenant:
    """Create the tenant in the caller's transaction, without a key: the address is not confirmed yet."""
    tenant_id = uuid7()
    with unit_of_work(tenant_id):
        tenant = _created(tenant_id, name, owner)
        # Plans are given by operators, who cannot see a tenant before it is committed.
        transaction.on_commit(partial(give_default_plan, tenant_id=tenant_id), using=APP)
    return tenant


def _created(tenant_id: UUID, name: str, owner: User) -> Tenant:
    tenant = Tenant.objects.create(id=tenant_id, name=name)
    member = Membership.objects.create(tenant=tenant, user=owner, role=Membership.Role.OWNER)
    record(tenant_id=tenant_id, action="tenant.created", subject_id=tenant_id, subject=name)
    audit_member("member.added", member)
    return tenant
