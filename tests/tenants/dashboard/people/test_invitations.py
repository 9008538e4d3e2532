"""Tests that an invited person joins once, with their own address, and that everybody else learns nothing."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.mail import EmailMessage
from django.db import connections
from django.test import Client
from pytest_django import Settings

from tenants.accounts.models import Invitation, Membership, User
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import create_key
from tenants.audit.models import AuditEntry
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work
from tenants.dashboard.sign_in.attempts import MAIL
from tenants.onboarding.create_tenant import CreatedTenant
from tests.tenants.dashboard.accounts.conftest import link_in

PASSWORD = "correct horse"


def invite(member: Client, email: str, role: str = "developer") -> int:
    return member.post("/members/invite", {"email": email, "role": role}).status_code


def invitation_of(email: str) -> Invitation:
    with operator_work():
        return Invitation.objects.filter(email=email).latest("id")


def roles_at(tenant: CreatedTenant) -> set[tuple[str, str]]:
    with operator_work():
        return set(Membership.objects.filter(tenant=tenant.tenant).values_list("user__email", "role"))


def test_somebody_new_joins_with_a_password_of_their_own(
    member: Client, tenant: CreatedTenant, stranger: Client, email: str, mailoutbox: list[EmailMessage]
) -> None:
    assert invite(member, email.upper()) == 302
    link = link_in(mailoutbox[0])
    assert f"Join {tenant.tenant.name}" in stranger.get(link).content.decode()
    assert stranger.post(link, {"name": "Bo", "password1": "short"}).status_code == 422
    assert stranger.post(link, {"name": "Bo", "password1": PASSWORD}).headers["Location"] == "/"
    assert stranger.get("/", follow=True).redirect_chain[-1][0] == "/jobs"
    assert (email, "developer") in roles_at(tenant)
    elsewhere = Client(REMOTE_ADDR="10.59.0.1")
    answer = elsewhere.post("/sign-in", {"username": email, "password": PASSWORD})
    assert answer.headers["Location"] == "/jobs", "the link has confirmed the address"


def test_a_link_works_once(member: Client, stranger: Client, email: str, mailoutbox: list[EmailMessage]) -> None:
    invite(member, email)
    link = link_in(mailoutbox[0])
    stranger.post(link, {"password1": PASSWORD})
    for browser in (Client(), stranger):
        answer = browser.get(link)
        assert (answer.status_code, "no longer works" in answer.content.decode()) == (410, True)


def test_two_who_open_one_link_at_once_are_one_person(
    member: Client, tenant: CreatedTenant, email: str, mailoutbox: list[EmailMessage]
) -> None:
    invite(member, email)
    link = link_in(mailoutbox[0])

    def join(number: int) -> int:
        try:
            return Client(REMOTE_ADDR=f"10.58.0.{number}").post(link, {"password1": PASSWORD}).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        answers = sorted(threads.map(join, (1, 2)))
    assert answers[0] == 302
    assert answers[1] in (302, 410)
    with operator_work():
        assert User.objects.filter(email=email).count() == 1
    assert (email, "developer") in roles_at(tenant)


def test_somebody_who_is_here_already_joins_as_they_are(
    member: Client, tenant: CreatedTenant, other_tenant: CreatedTenant, mailoutbox: list[EmailMessage]
) -> None:
    invite(member, other_tenant.owner.email, "viewer")
    link = link_in(mailoutbox[0])
    browser = Client()
    assert "Sign in as" in browser.get(link).content.decode()
    assert browser.post(link, {"password1": "another password"}).status_code == 200
    assert len(roles_at(tenant)) == 1, "nobody sets a password for a person who is here"
    browser.force_login(other_tenant.owner)
    browser.post(link)
    assert (other_tenant.owner.email, "viewer") in roles_at(tenant)
    assert tenant.tenant.name in browser.get("/jobs").content.decode(), "and works for it at once"


def test_nobody_joins_with_the_link_of_another(
    member: Client,
    tenant: CreatedTenant,
    other_tenant: CreatedTenant,
    email: str,
    mailoutbox: list[EmailMessage],
) -> None:
    invite(member, email)
    browser = Client()
    browser.force_login(other_tenant.owner)
    answer = browser.post(link_in(mailoutbox[0]))
    assert answer.status_code == 403
    assert "This invitation is for another person" in answer.content.decode()
    assert len(roles_at(tenant)) == 1


def test_a_link_lasts_a_week(member: Client, email: str, mailoutbox: list[EmailMessage]) -> None:
    invite(member, email)
    invitation = invitation_of(email)
    assert timedelta(days=6, hours=23) < invitation.expires_at - database_now() <= timedelta(days=7)
    with operator_work():
        Invitation.objects.filter(id=invitation.id).update(expires_at=database_now() - timedelta(seconds=1))
    assert Client().get(link_in(mailoutbox[0])).status_code == 410
    assert "expired" in member.get("/members").content.decode()


def test_a_new_link_ends_the_one_before(member: Client, email: str, mailoutbox: list[EmailMessage]) -> None:
    invite(member, email)
    member.post(f"/invitations/{invitation_of(email).id}/resend")
    old, new = (Client().get(link_in(mail)).status_code for mail in mailoutbox)
    assert (old, new) == (410, 200)


def test_what_is_taken_back_opens_nothing(member: Client, email: str, mailoutbox: list[EmailMessage]) -> None:
    invite(member, email)
    member.post(f"/invitations/{invitation_of(email).id}/revoke")
    assert Client().get(link_in(mailoutbox[0])).status_code == 410
    assert email not in member.get("/members").content.decode().partition('id="invitations"')[2]


def test_a_changed_link_opens_nothing(member: Client, email: str, mailoutbox: list[EmailMessage]) -> None:
    invite(member, email)
    assert Client().get(link_in(mailoutbox[0])[:-3] + "abc").status_code == 410


def test_another_tenants_invitation_is_like_none(
    member: Client, other_tenant: CreatedTenant, email: str, mailoutbox: list[EmailMessage]
) -> None:
    invite(member, email)
    intruder = Client()
    intruder.force_login(other_tenant.owner)
    for action in ("resend", "revoke"):
        assert intruder.post(f"/invitations/{invitation_of(email).id}/{action}").status_code == 404
    assert Client().get(link_in(mailoutbox[0])).status_code == 200


def test_an_admin_invites_no_owner(member: Client, tenant: CreatedTenant, email: str) -> None:
    with operator_work():
        Membership.objects.filter(user=tenant.owner).update(role="admin")
    assert invite(member, email, "owner") == 422
    assert invite(member, email, "admin") == 302


@pytest.mark.parametrize("role", ["developer", "billing", "viewer"])
def test_others_see_members_and_invite_nobody(member: Client, tenant: CreatedTenant, email: str, role: str) -> None:
    with operator_work():
        Membership.objects.filter(user=tenant.owner).update(role=role)
    page = member.get("/members").content.decode()
    assert tenant.owner.email in page
    assert "Invite a member" not in page
    assert invite(member, email) == 403


def test_who_is_a_member_already_is_not_invited(member: Client, tenant: CreatedTenant) -> None:
    answer = member.post("/members/invite", {"email": tenant.owner.email, "role": "viewer"})
    assert answer.status_code == 422
    assert "is already a member of this account" in answer.content.decode()


def test_where_nobody_new_comes_in_an_invitation_makes_no_person(
    member: Client, stranger: Client, email: str, mailoutbox: list[EmailMessage], settings: Settings
) -> None:
    settings.MAAS_SIGN_UP = "closed"
    invite(member, email)
    answer = stranger.post(link_in(mailoutbox[0]), {"password1": PASSWORD})
    assert answer.status_code == 403
    with operator_work():
        assert not User.objects.filter(email=email).exists()


def test_who_pays_begins_at_the_usage_and_opens_no_document(member: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        Membership.objects.filter(user=tenant.owner).update(role="billing")
    assert member.get("/").headers["Location"] == "/usage"
    assert member.get("/usage").status_code == 200
    assert member.get("/jobs").status_code == 403
    assert member.get("/v1/jobs").status_code == 403


def test_who_is_removed_sees_nothing_from_then_on(
    member: Client, tenant: CreatedTenant, email: str, stranger: Client, mailoutbox: list[EmailMessage]
) -> None:
    invite(member, email)
    stranger.post(link_in(mailoutbox[0]), {"password1": PASSWORD})
    with operator_work():
        membership = Membership.objects.get(user__email=email)
    member.post(f"/members/{membership.id}/remove")
    assert stranger.get("/jobs").status_code == 403
    assert stranger.get("/v1/jobs").status_code == 401


@pytest.mark.parametrize("revoked", [False, True])
def test_keys_of_who_is_removed_are_shown_and_revoked_if_that_is_wished(
    member: Client, tenant: CreatedTenant, email: str, revoked: bool
) -> None:
    with operator_work():
        person = User.objects.create_user(email)
        membership = Membership.objects.create(tenant=tenant.tenant, user=person, role="developer")
        made = create_key(
            tenant_id=tenant.tenant.id,
            name="Their script",
            scopes=["jobs:read"],
            created_by=membership.user_id,
        )
    page = member.get(f"/members/{membership.id}/remove").content.decode()
    assert "Their script" in page
    assert made.key.prefix in page
    member.post(f"/members/{membership.id}/remove", {"keys": "revoke"} if revoked else {})
    with operator_work():
        assert (ApiKey.objects.get(id=made.key.id).revoked_at is not None) is revoked


def test_an_invitation_opens_nothing_once_its_sender_may_not_invite(
    member: Client, tenant: CreatedTenant, stranger: Client, email: str, mailoutbox: list[EmailMessage]
) -> None:
    invite(member, email)
    link = link_in(mailoutbox[0])
    with operator_work():
        Membership.objects.filter(tenant=tenant.tenant).update(role="developer")
    assert stranger.get(link).status_code == 410
    with operator_work():
        Membership.objects.filter(tenant=tenant.tenant).update(role="owner")
    assert stranger.get(link).status_code == 200


def test_invitations_and_who_joins_by_them_are_on_record(
    member: Client, tenant: CreatedTenant, stranger: Client, email: str, mailoutbox: list[EmailMessage]
) -> None:
    invite(member, email)
    member.post(f"/invitations/{invitation_of(email).pk}/resend")
    stranger.post(link_in(mailoutbox[1]), {"name": "Bo", "password1": PASSWORD})
    with operator_work():
        entries = AuditEntry.objects.filter(tenant=tenant.tenant, subject_name=email).order_by("id")
        actions = list(entries.values_list("action", flat=True))
    assert actions == ["invitation.sent", "invitation.sent_again", "member.added"]


def test_one_address_gets_only_so_many_invitations(member: Client, email: str) -> None:
    answers = [invite(member, email) for _ in range(MAIL.per_pair + 1)]
    assert answers == [302] * MAIL.per_pair + [429]
