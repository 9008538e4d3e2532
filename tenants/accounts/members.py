"""Changes the members of a tenant and their roles. A tenant always keeps an owner, even if many leave at once."""

from tenants.accounts.errors import LastOwner, OwnerInactive
from tenants.accounts.models import Membership
from tenants.accounts.services import audit_member
from tenants.api_keys.selectors import keys_made_by
from tenants.api_keys.services import revoke_key
from tenants.audit.changes import changes_between
from tenants.core.db.tenant_owned import lock_tenant
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotAMember, NotPermitted
from tenants.core.ids import as_uuid
from tenants.identity.identity import Identity
from tenants.identity.roles import ADMIN, OWNER, scopes_of


def change_role(*, identity: Identity, membership_id: str, role: str) -> Membership | None:
    """Change a member's role; None if there is no such member. Raises NotPermitted, LastOwner, OwnerInactive."""
    with unit_of_work(identity.tenant_id):
        require_right(locked_actor(identity), touching=role)
        member = find_member(membership_id)
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
    """Remove a member, and revoke the keys that they created if `with_keys`. Return None if there is none.

    Their sessions stay, but no longer show this account within a second.
    """
    with unit_of_work(identity.tenant_id):
        actor = locked_actor(identity)
        member = find_member(membership_id)
        if member is None:
            return None
        if member.pk != actor.pk:
            require_right(actor, touching=member.role)
        if member.role == OWNER:
            _require_another_owner(member)
        Membership.objects.filter(pk=member.pk).delete()
        audit_member("member.removed", member, changes_between({"role": member.role}, {}))
        for key in keys_made_by(member.user_id) if with_keys else ():
            revoke_key(key_id=key.id)
        return member


def leave(*, identity: Identity) -> None:
    """Remove the caller from the account. Raises LastOwner, NotAMember."""
    with unit_of_work(identity.tenant_id):
        remove_member(identity=identity, membership_id=str(locked_actor(identity).pk))


def hand_over(*, identity: Identity, membership_id: str) -> Membership | None:
    """Make another member an owner and the caller an admin, in one transaction. Raises OwnerInactive."""
    with unit_of_work(identity.tenant_id):
        actor = locked_actor(identity)
        require_right(actor, touching=OWNER)
        member = find_member(membership_id)
        if member is None or member.pk == actor.pk:
            return None
        _require_let_in(member)
        _give_role(member, OWNER)
        _give_role(actor, ADMIN)
        return member


def _give_role(member: Membership, role: str) -> None:
    before, member.role = member.role, role
    member.save(update_fields=["role"])
    audit_member("member.changed", member, changes_between({"role": before}, {"role": role}))


def locked_actor(identity: Identity) -> Membership:
    """Lock the tenant, so that changes of its members happen one after another, and return the caller's membership as
    it is then.
    """
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
        raise NotAMember("You were removed from this account. Choose another account.")
    return found


def find_member(membership_id: str) -> Membership | None:
    wanted = as_uuid(membership_id)
    members = Membership.objects.select_related("user")
    return None if wanted is None else members.filter(pk=wanted).first()


def _require_let_in(member: Membership) -> None:
    if not member.user.is_active:
        raise OwnerInactive(
            f"{member.user.email} cannot sign in: an operator disabled their access. Choose another member."
        )


def has_another_owner(member: Membership) -> bool:
    owners = Membership.objects.filter(tenant_id=member.tenant_id, role=OWNER, user__is_active=True)
    return owners.exclude(pk=member.pk).exists()


def _require_another_owner(member: Membership) -> None:
    if not has_another_owner(member):
        raise LastOwner("This is the last owner of the account. Make another member an owner first.")
