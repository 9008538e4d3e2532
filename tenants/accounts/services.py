"""Writes to tenants and people. Each write is recorded in the audit log."""

from uuid import UUID

from django.db import transaction

from tenants.accounts.models import Membership, Tenant, User
from tenants.audit.changes import Changes, changes_between
from tenants.audit.services import record
from tenants.core.db.unit_of_work import current_alias, operator_work


def set_tenant_state(*, tenant_id: UUID, state: Tenant.State) -> bool:
    """Set the state and return whether it changed; known everywhere within a second. Call this in operator work."""
    with transaction.atomic(using=current_alias()):
        tenant = Tenant.objects.select_for_update(no_key=True).get(id=tenant_id)
        if tenant.state == Tenant.State.CLOSING:
            return _suspend_closing(tenant, state == Tenant.State.SUSPENDED)
        if tenant.state == state or tenant.state not in (Tenant.State.ACTIVE, Tenant.State.SUSPENDED):
            # A tenant whose deletion was requested can only be kept or erased.
            return False
        changes = changes_between({"state": tenant.state}, {"state": state})
        Tenant.objects.filter(id=tenant_id).update(state=state)
        action = "tenant.activated" if state == Tenant.State.ACTIVE else "tenant.suspended"
        record(tenant_id=tenant_id, action=action, subject_id=tenant_id, subject=tenant.name, changes=changes)
    return True


def _suspend_closing(tenant: Tenant, suspended: bool) -> bool:
    """Suspend a tenant that is being deleted, or lift that: it decides who may view or keep it meanwhile."""
    if tenant.suspended_closing == suspended:
        return False
    changes = changes_between({"suspended": tenant.suspended_closing}, {"suspended": suspended})
    Tenant.objects.filter(id=tenant.id).update(suspended_closing=suspended)
    action = "tenant.suspended" if suspended else "tenant.activated"
    record(tenant_id=tenant.id, action=action, subject_id=tenant.id, subject=tenant.name, changes=changes)
    return True


def audit_member(action: str, member: Membership, changes: Changes | None = None, note: str = "") -> None:
    """Record an action on a member. `changes` are by default those of a new member."""
    record(
        tenant_id=member.tenant_id,
        action=action,
        subject_id=member.pk,
        subject=member.user.email,
        changes=changes_between({}, {"role": member.role}) if changes is None else changes,
        note=note,
    )


def create_operator(*, email: str, password: str) -> User:
    with operator_work():
        return User.objects.create_superuser(email, password)
