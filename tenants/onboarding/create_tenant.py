"""Creates a tenant that is ready to be used."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from tenants.accounts.models import Membership, Tenant, User
from tenants.accounts.services import audit_member
from tenants.api_keys.services import CreatedKey, create_key
from tenants.audit.services import record
from tenants.billing.ledger.subscriptions import give_default_plan
from tenants.core.db.unit_of_work import OPERATOR, operator_work
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
    """Create a tenant with the plan for new tenants, its owner, and a first key with all scopes that a key can have. An
    existing person keeps their password.
    """
    with operator_work(), transaction.atomic(using=OPERATOR):
        tenant = Tenant.objects.create(id=tenant_id or uuid7(), name=name)
        owner = User.objects.filter(email=email.lower()).first()
        if owner is None:
            owner = User.objects.create_user(email, password)
        member = Membership.objects.create(tenant=tenant, user=owner, role=Membership.Role.OWNER)
        record(tenant_id=tenant.id, action="tenant.created", subject_id=tenant.id, subject=name)
        audit_member("member.added", member)
        give_default_plan(tenant_id=tenant.id)
        key = create_key(tenant_id=tenant.id, name="First key", scopes=KEY_SCOPES)
    return CreatedTenant(tenant, owner, key)
