"""Impersonation: an operator acts as a member, for a reason and a limited time, read-only unless they ask for more."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_out
from django.db import transaction
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from tenants.accounts.models import Membership
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.authentication.chosen_tenant import READING, chosen_tenant
from tenants.authentication.selectors import MembershipRow, member_of, memberships_of
from tenants.core.db.unit_of_work import current_alias, unit_of_work
from tenants.core.errors import NotPermitted
from tenants.identity.identity import Identity

NAME = "impersonation"
LASTS = timedelta(minutes=30)
NEVER = frozenset({"keys:write", "members:write", "account:write", "billing:write", "webhooks:write"})
"""The scopes that are always refused: what they create outlasts the impersonation, and has the account's secrets."""


@dataclass(frozen=True)
class Impersonation:
    """An impersonation. It is stored in the operator's session and nowhere else."""

    tenant_id: UUID
    member_id: UUID
    email: str
    ends_at: datetime
    may_write: bool

    @property
    def over(self) -> bool:
        return timezone.now() >= self.ends_at

    def kept_to(self, identity: Identity) -> Identity:
        scopes = identity.scopes - NEVER
        if not self.may_write:
            scopes = frozenset(scope for scope in scopes if scope.endswith(":read"))
        return replace(identity, scopes=scopes)


class ImpersonationOver(NotPermitted):
    """The time of the impersonation is over, or the member is no longer a member."""


def impersonation_of(request: HttpRequest, user: Any = None) -> Impersonation | None:
    """Return the impersonation, which only operators have, even if its time is over: the caller ends it."""
    held: Any = request.session.get(NAME) if hasattr(request, "session") else None
    if not isinstance(held, dict) or not getattr(user or request.user, "is_staff", False):
        return None
    return Impersonation(
        tenant_id=UUID(held["tenant"]),
        member_id=UUID(held["member"]),
        email=held["email"],
        ends_at=datetime.fromisoformat(held["ends_at"]),
        may_write=held["may_write"] is True,
    )


def memberships_and_identity(request: HttpRequest) -> tuple[Sequence[MembershipRow], Identity | None]:
    """Return a person's accounts and current identity. Raises TenantSuspended, NotAMember, ImpersonationOver."""
    assert request.user.pk is not None
    acting = impersonation_of(request)
    if acting is None:
        rows = memberships_of(request.user.pk)
        return rows, member_of(rows, request.user.pk, chosen_tenant(request))
    if acting.over:
        raise ImpersonationOver("Your time to act for this account has ended. Nothing was changed.")
    # The operator acts for that account only, even if the member belongs to more.
    rows = [row for row in memberships_of(acting.member_id) if row.tenant_id == acting.tenant_id]
    identity = member_of(rows, acting.member_id, acting.tenant_id)
    if identity is None:
        raise ImpersonationOver(f"{acting.email} is no longer a member of this account. Nothing was changed.")
    return rows, acting.kept_to(identity)


def begin(request: HttpRequest, member: Membership, *, reason: str, may_write: bool) -> None:
    """Begin an impersonation and end the previous impersonation. Call this in operator work."""
    end(request, "started to act as another member")
    ends_at = timezone.now() + LASTS
    with transaction.atomic(using=current_alias()):
        record(
            tenant_id=member.tenant_id,
            action="impersonation.started",
            subject_id=member.user_id,
            subject=member.user.email,
            changes=changes_between({}, {"may_write": may_write, "ends_at": ends_at}),
            note=reason,
        )
    request.session.cycle_key()
    # The session is recorded under its new key. Otherwise its owner could not see it in their list of sessions, or end
    # it.
    UserSession.objects.create_from_request(request)
    request.session[NAME] = {
        "tenant": str(member.tenant_id),
        "member": str(member.user_id),
        "email": member.user.email,
        "ends_at": ends_at.isoformat(),
        "may_write": may_write,
    }


def end(request: HttpRequest, why: str) -> UUID | None:
    """End the impersonation. Return the tenant of the account, or None if there was none."""
    acting = impersonation_of(request)
    if acting is None:
        return None
    _record("impersonation.ended", acting, why)
    # This comes last, because the session determines the actor of the entry, and that an operator is not named in it.
    del request.session[NAME]
    return acting.tenant_id


@receiver(user_logged_out)
def end_with_session(request: HttpRequest | None, **kwargs: object) -> None:
    """End the impersonation with the session, no matter how the person is signed out."""
    if request is not None and hasattr(request, "session") and hasattr(request, "user"):
        end(request, "signed out")


def require_own_hands(request: HttpRequest) -> None:
    """Require that a person's own data is not used in an impersonation. Raises NotPermitted."""
    acting = impersonation_of(request)
    if acting is not None and not acting.over:
        raise NotPermitted(f"You are acting as {acting.email}. Stop acting first: this page is for your own profile.")


def audit_write(request: HttpRequest) -> None:
    """Record a write of an operator before it is done, whether it succeeds or fails. Raises NotPermitted if the
    operator may only read.
    """
    acting = impersonation_of(request)
    if acting is None or request.method in READING:
        return
    if not acting.may_write:
        raise NotPermitted(
            f"You are acting as {acting.email}, read-only. Stop, then start again with permission to make changes."
        )
    _record("impersonation.wrote", acting, f"{request.method} {request.path}")


def _record(action: str, acting: Impersonation, note: str) -> None:
    tenant_id, subject = acting.tenant_id, acting.email
    with unit_of_work(tenant_id):
        record(tenant_id=tenant_id, action=action, subject_id=acting.member_id, subject=subject, note=note)
