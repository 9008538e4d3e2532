"""Tests of people who come through an OpenID provider for the first time: which account opens, and which never does."""

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.core.mail import EmailMessage
from django.test import Client
from pytest_django import Settings

from tenants.accounts.invitations import token_of
from tenants.accounts.models import Invitation, Membership, User
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.open_id_provider import OpenIdProvider
from tests.tenants.accounts.second_step import give_app
from tests.tenants.dashboard.accounts.conftest import actions, away, back, link_in, signed_in


@pytest.mark.parametrize("sign_up", ["open", "invitation", "closed"])
@pytest.mark.parametrize("verified", [True, False])
def test_a_known_address_opens_nobodys_account(  # noqa: PLR0917  # fixtures
    stranger: Client,
    provider: OpenIdProvider,
    tenant: CreatedTenant,
    settings: Settings,
    sign_up: str,
    verified: bool,
) -> None:
    settings.MAAS_SIGN_UP = sign_up
    provider.be(tenant.owner.email, verified=verified)
    answer = back(stranger, away(stranger))
    if verified:
        assert answer.status_code == 403
        assert "You already have an account" in answer.content.decode()
    elif sign_up == "open":
        assert answer.headers["Location"] == "/sign-up/through"
        stranger.post("/sign-up/through", {"tenant": "Acme", "name": "Eve", "email": tenant.owner.email})
    assert not signed_in(stranger)
    with operator_work():
        assert not SocialAccount.objects.filter(user=tenant.owner).exists()
    assert User.objects.filter(email=tenant.owner.email).count() == 1


@pytest.mark.parametrize("sign_up", ["invitation", "closed"])
def test_who_is_not_known_does_not_come_in_where_signing_up_is_not_open(
    stranger: Client, provider: OpenIdProvider, email: str, settings: Settings, sign_up: str
) -> None:
    settings.MAAS_SIGN_UP = sign_up
    provider.be(email)
    assert "No account found" in back(stranger, away(stranger)).content.decode()
    assert not User.objects.filter(email=email).exists()


def test_where_it_is_open_a_confirmed_address_comes_in_at_once(
    stranger: Client, provider: OpenIdProvider, email: str, settings: Settings, mailoutbox: list[EmailMessage]
) -> None:
    settings.MAAS_SIGN_UP = "open"
    provider.be(email)
    assert back(stranger, away(stranger)).headers["Location"] == "/sign-up/through"
    assert email in stranger.get("/sign-up/through").content.decode()
    name = unique("tenant")
    sent = stranger.post("/sign-up/through", {"tenant": name, "name": "Ada", "email": "other@example.com"})
    assert sent.headers["Location"] == "/jobs"
    assert signed_in(stranger)
    person = User.objects.get(email=email)
    assert person.name == "Ada"
    assert not person.has_usable_password()
    assert not mailoutbox
    with operator_work():
        owned = Membership.objects.get(user=person, role="owner").tenant
    assert owned.name == name
    assert actions(owned) == ["sign_on.connected", "sign_on.used"]


@pytest.mark.parametrize("verified", [False, "true", None])
def test_an_address_that_the_provider_does_not_vouch_for_is_confirmed_by_mail(  # noqa: PLR0917  # fixtures
    stranger: Client,
    provider: OpenIdProvider,
    email: str,
    settings: Settings,
    mailoutbox: list[EmailMessage],
    verified: object,
) -> None:
    settings.MAAS_SIGN_UP = "open"
    provider.be(email, verified=verified)
    back(stranger, away(stranger))
    sent = stranger.post("/sign-up/through", {"tenant": "Acme", "name": "Ada", "email": email})
    assert sent.headers["Location"] == "/sign-up/sent"
    assert not signed_in(stranger)
    stranger.post(link_in(mailoutbox[0]))
    back(stranger, away(stranger))
    assert signed_in(stranger)


def test_who_chooses_a_password_by_mail_locks_out_whoever_typed_their_address(
    stranger: Client, provider: OpenIdProvider, email: str, settings: Settings, mailoutbox: list[EmailMessage]
) -> None:
    """The other person gets in neither through the provider nor by a second step or session of theirs."""
    settings.MAAS_SIGN_UP = "open"
    provider.be("attacker@elsewhere.example", verified=False)
    back(stranger, away(stranger))
    stranger.post("/sign-up/through", {"tenant": "Acme", "name": "Eve", "email": email})
    reader = Client(REMOTE_ADDR="10.61.7.3")
    assert "Sign in</a> here, then open this link again" in reader.get(link_in(mailoutbox[0])).content.decode()
    assert reader.post(link_in(mailoutbox[0])).status_code == 422
    with operator_work():
        assert not EmailAddress.objects.filter(email=email, verified=True).exists()
    person = User.objects.get(email=email)
    give_app(person)
    theirs = Client()
    theirs.force_login(person)
    owner = Client(REMOTE_ADDR="10.61.7.1")
    owner.post("/password/forgotten", {"email": email})
    form = owner.get(link_in(mailoutbox[-1]), follow=True).redirect_chain[-1][0]
    assert owner.post(form, {"password1": "battery staple"}).headers["Location"] == "/password/renewed"
    owner.post("/sign-in", {"username": email, "password": "battery staple"})
    owner.post(link_in(next(mail for mail in reversed(mailoutbox) if "/confirm-email/" in mail.body)))
    owner.post("/sign-in", {"username": email, "password": "battery staple"})
    assert signed_in(owner)
    again = Client(REMOTE_ADDR="10.61.7.2")
    back(again, away(again))
    assert not signed_in(again)
    assert not signed_in(theirs)
    with operator_work():
        assert not SocialAccount.objects.filter(user=person).exists()
    with operator_work():
        owned = Membership.objects.get(user=person).tenant
    assert actions(owned) == ["sign_on.connected", "sign_on.removed"]


def test_who_has_confirmed_their_address_keeps_what_they_sign_in_through(
    stranger: Client, connected: User, mailoutbox: list[EmailMessage]
) -> None:
    stranger.post("/password/forgotten", {"email": connected.email})
    form = stranger.get(link_in(mailoutbox[-1]), follow=True).redirect_chain[-1][0]
    stranger.post(form, {"password1": "battery staple"})
    with operator_work():
        assert SocialAccount.objects.filter(user=connected).exists()


def invitation(tenant: CreatedTenant, email: str) -> str:
    with unit_of_work(tenant.tenant.id):
        made = Invitation.objects.create(
            tenant=tenant.tenant, email=email, role="viewer", expires_at="2100-01-01T00:00Z"
        )
        return f"/invitations/accept/{token_of(made)}"


def test_whom_a_mail_invited_comes_through_the_provider_and_joins(
    stranger: Client, provider: OpenIdProvider, tenant: CreatedTenant, email: str
) -> None:
    link = invitation(tenant, email)
    provider.be("private@elsewhere.example", verified=False)
    assert "Join with Company" in stranger.get(link).content.decode()
    assert back(stranger, away(stranger, next=link)).headers["Location"] == "/sign-up/through"
    sent = stranger.post("/sign-up/through", {"name": "Ada", "email": "evil@example.com", "tenant": "Evil"})
    assert sent.headers["Location"] == link
    stranger.post(link)
    with operator_work():
        member = Membership.objects.get(user__email=email)
        assert (member.tenant_id, member.role) == (tenant.tenant.id, "viewer")
    assert not User.objects.filter(email__in=["evil@example.com", "private@elsewhere.example"]).exists()


def test_an_invitation_lets_nobody_in_where_it_is_closed(
    stranger: Client, provider: OpenIdProvider, tenant: CreatedTenant, email: str, settings: Settings
) -> None:
    settings.MAAS_SIGN_UP = "closed"
    provider.be(email)
    answer = back(stranger, away(stranger, next=invitation(tenant, email)))
    assert "No account found" in answer.content.decode()
