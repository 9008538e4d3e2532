"""Whoever signed up and never showed that the address is theirs keeps it from nobody, and is forgotten in time."""

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
    """Somebody has the address, and it is theirs or an operator's word is that it is."""
    with operator_work():
        found = User.objects.filter(email=email.lower())
        return found.exists() and not unconfirmed().filter(email=email.lower()).exists()


def unconfirmed() -> "QuerySet[User]":
    """Operators' work. Who was made by an operator has no address to confirm; who shares an account was let in."""
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
    """Whoever asks has shown that the address is theirs; whoever signed up with it before has not."""
    with operator_work():
        others = list(unconfirmed().filter(email=email.lower()).values_list("pk", flat=True))
    found = [one for one in others if beside is None or one != beside.pk]
    for person_id in found:
        forget(person_id)


def it_was_not_theirs(address: EmailAddress) -> None:
    """Whoever reads the address says that they typed it nowhere. Who never confirmed it goes with it; whoever asked to
    change theirs to it stays, with the one that they have."""
    with operator_work():
        signed_up = unconfirmed().filter(pk=address.user_id, email=address.email).exists()
    if signed_up:
        forget(address.user_id, note="Whoever reads the address says that it was not they.")
    else:
        EmailAddress.objects.filter(pk=address.pk, verified=False, primary=False).delete()


_NEVER = "Whoever signed up for it never confirmed their address."


def forget(person_id: UUID, *, only: Q | None = None, note: str = _NEVER) -> bool:
    """With the account that they made, which is erased as any that is deleted. Looked at once more under the lock."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        User.objects.select_for_update().filter(pk=person_id).first()
        if not unconfirmed().filter(only or Q(), pk=person_id).exists():
            return False
        for member in Membership.objects.filter(user_id=person_id).select_related("tenant"):
            _let_go_of(member.tenant, note)
        Membership.objects.filter(user_id=person_id).delete()
        User.objects.filter(pk=person_id).delete()
    log.info("unconfirmed_person_forgotten", user_id=str(person_id))
    return True


def _let_go_of(tenant: Tenant, note: str) -> None:
    Tenant.objects.select_for_update().get(id=tenant.id)  # see begin_erasing
    Tenant.objects.filter(id=tenant.id).update(state=Tenant.State.ERASING, closes_at=Now())
    record(
        tenant_id=tenant.id,
        deed="tenant.erasing",
        subject_id=tenant.id,
        subject=tenant.name,
        note=note,
    )
