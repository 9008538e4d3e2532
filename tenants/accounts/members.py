"""Changes the members of a tenant and their roles. A tenant always keeps an owner, even if many leave at once."""

from uuid import UUID

from tenants.accounts.errors import LastOwner, OwnerShutOut
from tenants.accounts.models import Membership
from tenants.api_keys.selectors import keys_made_by
from tenants.api_keys.services import revoke_key
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.core.db.tenant_owned import lock_tenant
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotPermitted, TenantLeft
from tenants.identity.identity import Identity
from tenants.identity.roles import ADMIN, OWNER, scopes_of


def change_role(*, identity: Identity, membership_id: str, role: str) -> Membership | None:
    """Change a member's role; None if there is no such member. Raises NotPermitted, LastOwner, OwnerShutOut."""
    with unit_of_work(identity.tenant_id):
        require_right(locked_actor(identity), touching=role)
        member = _member(membership_id)
        if member is None:
            return None
        require_right(_own(identity), touching=member.role)
        if role == OWNER:
            _require_let_in(member)
        elif member.role == OWNER:
            _require_another_owner(member)
        _give_role(member, role)
        return member


def remove_member(*, identity: Identity, membership_id: str, with_keys: bool = False) -> Membership | None:
    """Remove a member. Return None if there is no such member. Their sessions stay, but no longer show this account
    within a second.

    If `with_keys` is true, the keys that they created are revoked too; otherwise the keys still work.
    """
    with unit_of_work(identity.tenant_id):
        actor = locked_actor(identity)
        member = _member(membership_id)
        if member is None:
            return None
        if member.pk != actor.pk:
            require_right(actor, touching=member.role)
        if member.role == OWNER:
            _require_another_owner(member)
        Membership.objects.filter(pk=member.pk).delete()
        _record("member.removed", member, {"role": member.role}, {})
        for key in keys_made_by(member.user_id) if with_keys else ():
            revoke_key(key_id=key.id)
        return member


def leave(*, identity: Identity) -> None:
    """Remove the caller from the account. Raises LastOwner, TenantLeft."""
    with unit_of_work(identity.tenant_id):
        remove_member(identity=identity, membership_id=str(locked_actor(identity).pk))


def hand_over(*, identity: Identity, membership_id: str) -> Membership | None:
    """Make another member an owner and the caller an admin, in one transaction. Raises OwnerShutOut."""
    with unit_of_work(identity.tenant_id):
        actor = locked_actor(identity)
        require_right(actor, touching=OWNER)
        member = _member(membership_id)
        if member is None or member.pk == actor.pk:
            return None
        _require_let_in(member)
        _give_role(member, OWNER)
        _give_role(actor, ADMIN)
        return member


def _give_role(member: Membership, role: str) -> None:
    before, member.role = member.role, role
    member.save(update_fields=["role"])
    _record("member.changed", member, {"role": before}, {"role": role})


def _record(action: str, member: Membership, before: dict[str, object], after: dict[str, object]) -> None:
    record(
        tenant_id=member.tenant_id,
        action=action,
        subject_id=member.pk,
        subject=member.user.email,
        changes=changes_between(before, after),
    )


def locked_actor(identity: Identity) -> Membership:
    """Lock the tenant, since changes of members wait for each other, and return the caller's membership after it."""
    lock_tenant(identity.tenant_id)
    return _own(identity)


def require_right(actor: Membership, *, touching: str) -> None:
    """Require the right to change members. Only owners add and remove owners. Raises NotPermitted."""
    scopes = scopes_of(actor.role)
    if "members:write" not in scopes:
        raise NotPermitted("Your role cannot change members. Ask an owner for another role.")
    if touching == OWNER and "account:write" not in scopes:
        raise NotPermitted("Only an owner can appoint an owner or change an owner's role.")


def _own(identity: Identity) -> Membership:
    members = Membership.objects.select_related("user")
    found = members.filter(user_id=identity.user_id).first() if identity.user_id else None
    if found is None:
        raise TenantLeft("You were removed from this account. Choose another account.")
    return found


def _member(membership_id: str) -> Membership | None:
    try:
        wanted = UUID(membership_id)
    except ValueError:
        return None
    return Membership.objects.select_related("user").filter(pk=wanted).first()


def _require_let_in(member: Membership) -> None:
    if not member.user.is_active:
        raise OwnerShutOut(
            f"{member.user.email} cannot sign in: an operator disabled their access. Choose another member."
        )


def _require_another_owner(member: Membership) -> None:
    if not Membership.objects.filter(role=OWNER, user__is_active=True).exclude(pk=member.pk).exists():
        raise LastOwner("This is the last owner of the account. Make another member an owner first.")
