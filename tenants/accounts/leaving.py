"""Deletes a person. They leave every account, and only the audit logs still say who they were."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models.functions import Now

from tenants.accounts.errors import LastOwner, OperatorNotDeletable
from tenants.accounts.invitations import audit_invitation
from tenants.accounts.members import has_another_owner
from tenants.accounts.models import Invitation, Membership, Tenant, User
from tenants.accounts.services import audit_member
from tenants.audit.changes import changes_between
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.identity.roles import OWNER

_OPEN = (Tenant.State.ACTIVE, Tenant.State.SUSPENDED)
"""The states of an account that needs an owner. An account that is being deleted no longer needs an owner."""


def delete_person(*, person: User) -> None:
    """Delete a person in one transaction. Raises LastOwner, which names the accounts, and OperatorNotDeletable."""
    if person.is_staff:
        raise OperatorNotDeletable("You are an operator of this service. Another operator must remove that role first.")
    with operator_work(), transaction.atomic(using=OPERATOR):
        members = list(_locked(person))
        if names := _alone(members):
            raise LastOwner(
                f"You are the last owner of {', '.join(names)}. Make another member an owner, or delete the account "
                "first."
            )
        for member in members:
            changes = changes_between({"role": member.role}, {})
            audit_member("member.removed", member, changes, note="They deleted their profile.")
        _take_back_invitations(person)
        Membership.objects.filter(user_id=person.pk).delete()
        if LogEntry.objects.filter(user_id=person.pk).exists():
            _leave_nameless(person)
        else:
            User.objects.filter(pk=person.pk).delete()


def _leave_nameless(person: User) -> None:
    """Remove the name of a person who was an operator. Their actions in the admin stay on record without it."""
    for kind in (EmailAddress, Authenticator, SocialAccount, UserSession):
        kind.objects.filter(user_id=person.pk).delete()
    nameless = User(pk=person.pk, email=f"deleted-{person.pk}@invalid", is_active=False)
    nameless.set_unusable_password()
    kept = {name: getattr(nameless, name) for name in ("email", "name", "password", "is_active", "last_login")}
    User.objects.filter(pk=person.pk).update(**kept)
    person.groups.clear()
    person.user_permissions.clear()


def _take_back_invitations(person: User) -> None:
    """Revoke the person's invitations in all accounts. Without a sender they would count as an operator's."""
    sent = Invitation.objects.filter(invited_by_id=person.pk, accepted_at=None, revoked_at=None)
    for invitation in sent.select_for_update().order_by("tenant_id", "pk"):
        Invitation.objects.filter(pk=invitation.pk).update(revoked_at=Now())
        audit_invitation("invitation.revoked", invitation, note="The inviter deleted their profile.")


def alone_in(person: User) -> list[str]:
    """Return the names of the accounts that would have no owner."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        return _alone(list(Membership.objects.select_related("tenant").filter(user_id=person.pk)))


def _locked(person: User) -> "list[Membership]":
    """Lock the person's accounts, in one order as wherever several are locked, and return the memberships."""
    found = Membership.objects.filter(user_id=person.pk).order_by("tenant_id")
    for tenant_id in found.values_list("tenant_id", flat=True):
        Tenant.objects.select_for_update(no_key=True).get(id=tenant_id)
    return list(found.select_related("tenant", "user"))


def _alone(members: list[Membership]) -> list[str]:
    owned = [member for member in members if member.role == OWNER and member.tenant.state in _OPEN]
    return [member.tenant.name for member in owned if not has_another_owner(member)]
