"""Invites people to a tenant by email. The person who opens the email becomes a member, once, and within a week."""

from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urljoin
from uuid import UUID

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.db import IntegrityError
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse

from tenants.accounts.addresses import has_address, vouch_for
from tenants.accounts.errors import AlreadyMember, InvitationForOtherUser, InvitationGone, TooManyInvitations
from tenants.accounts.mail import deliver
from tenants.accounts.members import locked_actor, require_right
from tenants.accounts.models import Invitation, Membership, User
from tenants.accounts.services import audit_member
from tenants.accounts.unconfirmed import make_room_for
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotPermitted
from tenants.core.ids import as_uuid
from tenants.identity.identity import Identity

DAYS = 7
MAX_OPEN = 100
_SALT = "invitation"
_GONE = "This invitation was used or revoked, or is older than a week. Ask for a new invitation."


@dataclass(frozen=True)
class Invited:
    """The details of an invitation for the person who opens its link."""

    tenant_id: UUID
    invitation_id: UUID
    tenant_name: str
    email: str
    role: str
    by: str


def invite(*, identity: Identity, email: str, role: str) -> Invitation:
    """Invite a person, or send a new link and end the old one. Raises AlreadyMember, NotPermitted."""
    address = email.strip().lower()
    with unit_of_work(identity.tenant_id):
        require_right(locked_actor(identity), touching=role)
        if Membership.objects.filter(user__email=address).exists():
            raise AlreadyMember(
                f"{address} is already a member of this account. Change the role in the list of members."
            )
        if open_invitations().exclude(email=address).count() >= MAX_OPEN:
            raise TooManyInvitations(
                f"The account has {MAX_OPEN} open invitations, which is the maximum. Revoke one first."
            )
        Invitation.objects.filter(email=address, accepted_at=None, revoked_at=None).update(revoked_at=Now())
        invitation = Invitation.objects.create(
            tenant_id=identity.tenant_id,
            email=address,
            role=role,
            invited_by_id=identity.user_id,
            expires_at=database_now() + timedelta(days=DAYS),
        )
        audit_invitation("invitation.sent", invitation)
    mail(invitation, identity)
    return invitation


def resend(*, identity: Identity, invitation_id: str) -> Invitation | None:
    """Send a new link that works for another week. The link before no longer works."""
    with unit_of_work(identity.tenant_id):
        actor = locked_actor(identity)
        invitation = _open_one(invitation_id)
        if invitation is None:
            return None
        require_right(actor, touching=invitation.role)
        audit_invitation("invitation.sent_again", invitation)
        Invitation.objects.filter(pk=invitation.pk).update(
            invited_by_id=identity.user_id,
            serial=F("serial") + 1,
            expires_at=database_now() + timedelta(days=DAYS),
        )
        invitation.refresh_from_db()
    mail(invitation, identity)
    return invitation


def revoke(*, identity: Identity, invitation_id: str) -> Invitation | None:
    with unit_of_work(identity.tenant_id):
        actor = locked_actor(identity)
        invitation = _open_one(invitation_id)
        if invitation is None:
            return None
        require_right(actor, touching=invitation.role)
        audit_invitation("invitation.revoked", invitation)
        Invitation.objects.filter(pk=invitation.pk).update(revoked_at=Now())
        return invitation


def open_invitations() -> "QuerySet[Invitation]":
    """Return the open invitations, including those that are too old, because they can be sent again."""
    return Invitation.objects.filter(accepted_at=None, revoked_at=None).order_by("-id")


def read_link(token: str) -> Invited:
    """Read a link, which is signed and names its tenant, so that no others are searched. Raises InvitationGone."""
    named = _named(token)
    with unit_of_work(named.tenant_id):
        found = _working(named)
        return Invited(
            named.tenant_id,
            found.pk,
            found.tenant.name,
            found.email,
            found.role,
            (found.invited_by.name or found.invited_by.email) if found.invited_by else "An owner",
        )


def accept(*, token: str, user: User) -> Invited:
    """Accept an invitation. A person who is already a member keeps their role. Raises InvitationGone,
    InvitationForOtherUser.
    """
    invited = read_link(token)
    with unit_of_work(invited.tenant_id):
        found = _working(_named(token), locked=True)
        if user.email != found.email:
            raise InvitationForOtherUser(
                f"This invitation is for {found.email}, and you are signed in as {user.email}. "
                "Sign out, then open the link again."
            )
        member, is_new = Membership.objects.get_or_create(
            tenant_id=invited.tenant_id, user_id=user.pk, defaults={"role": found.role}
        )
        if is_new:
            audit_member("member.added", member)
        Invitation.objects.filter(pk=found.pk).update(accepted_at=Now(), accepted_by=user)
        _confirm(user)
    return invited


def accept_as_new(*, token: str, name: str, password: str) -> User:
    """Accept as a new person, whose address the link confirms. Raises InvitationGone, InvitationForOtherUser."""
    invited = read_link(token)
    make_room_for(invited.email)
    try:
        with unit_of_work(invited.tenant_id):
            _working(_named(token), locked=True)
            user = User.objects.create_user(invited.email, password, name=name)
            accept(token=token, user=user)
    except IntegrityError:
        if not User.objects.filter(email=invited.email).exists():
            raise
        raise InvitationForOtherUser(
            f"{invited.email} already has a profile here. Sign in to accept the invitation."
        ) from None
    return user


def _confirm(user: User) -> None:
    """Confirm the person's address. A person who is signed in has confirmed it already."""
    if not has_address(user) or not EmailAddress.objects.filter(user_id=user.pk, verified=True).exists():
        vouch_for(user)


@dataclass(frozen=True)
class _Named:
    tenant_id: UUID
    invitation_id: UUID
    serial: int


def token_of(invitation: Invitation) -> str:
    named = [invitation.tenant_id.hex, invitation.pk.hex, invitation.serial]
    return signing.dumps(named, salt=_SALT)


def _named(token: str) -> _Named:
    try:
        tenant, invitation, serial = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        raise InvitationGone(_GONE) from None
    return _Named(UUID(tenant), UUID(invitation), int(serial))


def _working(named: _Named, *, locked: bool = False) -> Invitation:
    rows = Invitation.objects.select_for_update(of=("self",)) if locked else Invitation.objects
    found = (
        rows.select_related("tenant", "invited_by")
        .filter(pk=named.invitation_id, serial=named.serial, accepted_at=None, revoked_at=None)
        .filter(expires_at__gt=Now(), tenant__state="active")
        .first()
    )
    if found is None:
        raise InvitationGone(_GONE)
    _require_inviter(found)
    return found


def _require_inviter(invitation: Invitation) -> None:
    """Require that the inviter is still a member who may invite. Raises InvitationGone."""
    if invitation.invited_by_id is None:
        return
    inviter = Membership.objects.filter(user_id=invitation.invited_by_id).first()
    try:
        if inviter is None:
            raise NotPermitted("the inviter is no longer a member")
        require_right(inviter, touching=invitation.role)
    except NotPermitted:
        raise InvitationGone(
            "The sender of this invitation can no longer invite to this account. Ask for a new invitation."
        ) from None


def audit_invitation(action: str, invitation: Invitation, note: str = "") -> None:
    record(
        tenant_id=invitation.tenant_id,
        action=action,
        subject_id=invitation.pk,
        subject=invitation.email,
        changes=changes_between({}, {"role": invitation.role}),
        note=note,
    )


def _open_one(invitation_id: str) -> Invitation | None:
    wanted = as_uuid(invitation_id)
    return None if wanted is None else open_invitations().filter(pk=wanted).select_for_update().first()


def mail(invitation: Invitation, identity: Identity) -> None:
    """Send the email. If that fails, the invitation stays and can be sent again. Raises MailUnavailable."""
    link = urljoin(settings.MAAS_PUBLIC_URL, reverse("accept-invitation", args=[token_of(invitation)]))
    context = {
        "tenant": identity.tenant_name,
        "role": invitation.role,
        "link": link,
        "days": DAYS,
        "service": settings.MAAS_PUBLIC_URL,
    }
    subject = f"You are invited to {identity.tenant_name}"
    text = render_to_string("tenants/people/invitation.txt", context).strip() + "\n"
    deliver(EmailMessage(" ".join(subject.split()), text, to=[invitation.email]))
