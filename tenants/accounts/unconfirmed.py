"""People who never confirmed their address. They do not block it for its owner, and are deleted after some time."""

from uuid import UUID

import structlog
from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from tenants.accounts.models import Membership, Tenant, User
from tenants.audit.services import record
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)


def is_known(email: str) -> bool:
    """Return whether a person has the address and has confirmed it, or an operator vouches for it."""
    with operator_work():
        found = User.objects.filter(email=email.lower())
        return found.exists() and not unconfirmed().filter(email=email.lower()).exists()


def unconfirmed() -> "QuerySet[User]":
    """Return the unconfirmed people. Call this in operator work.

    A person whom an operator created has no address to confirm, and one who shares an account was accepted there.
    """
    addresses = EmailAddress.objects.filter(user_id=OuterRef("pk"))
    own = Membership.objects.filter(user_id=OuterRef(OuterRef("pk"))).values("tenant_id")
    sharing = Membership.objects.filter(tenant_id__in=own).exclude(user_id=OuterRef("pk"))
    return User.objects.filter(
        Exists(addresses),
        ~Exists(addresses.filter(verified=True)),
        ~Exists(sharing),
        is_staff=False,
        last_login=None,
    )


def make_room_for(email: str, *, beside: User | None = None) -> None:
    """Delete the unconfirmed people with an address, which the caller has shown to be theirs."""
    with operator_work():
        others = list(unconfirmed().filter(email=email.lower()).values_list("pk", flat=True))
    found = [other for other in others if beside is None or other != beside.pk]
    for person_id in found:
        forget(person_id)


def it_was_not_theirs(address: EmailAddress) -> None:
    """Delete the person who signed up with the owner's address, or cancel another person's change to it."""
    with operator_work():
        signed_up = unconfirmed().filter(pk=address.user_id, email=address.email).exists()
    if signed_up:
        forget(address.user_id, note="The owner of the email address reported that they did not sign up.")
    else:
        EmailAddress.objects.filter(pk=address.pk, verified=False, primary=False).delete()


_NEVER = "The person who signed up never confirmed their email address."


def forget(person_id: UUID, *, only: Q | None = None, note: str = _NEVER) -> bool:
    """Delete a person with the account that they created. The conditions are checked again under the lock."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        User.objects.select_for_update().filter(pk=person_id).first()
        if not unconfirmed().filter(only or Q(), pk=person_id).exists():
            return False
        for member in Membership.objects.filter(user_id=person_id).select_related("tenant"):
            _let_go_of(member.tenant, note)
        Membership.objects.filter(user_id=person_id).delete()
        User.objects.filter(pk=person_id).delete()
    log.info("unconfirmed_user_deleted", user_id=str(person_id))
    return True


def _let_go_of(tenant: Tenant, note: str) -> None:
    Tenant.objects.select_for_update().get(id=tenant.id)  # see begin_erasing
    Tenant.objects.filter(id=tenant.id).update(state=Tenant.State.ERASING, closes_at=Now())
    record(
        tenant_id=tenant.id,
        action="tenant.erasing",
        subject_id=tenant.id,
        subject=tenant.name,
        note=note,
    )
