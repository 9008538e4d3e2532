"""People connect an OpenID provider to their account, and take it away again."""

import html
import re

import httpx
from allauth.socialaccount.models import SocialAccount
from django.core.mail import EmailMessage
from django.test import Client

from tenants.accounts.models import User
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.open_id_provider import OpenIdProvider
from tests.tenants.dashboard.accounts.conftest import OWN_SERVICE, actions, away, back
from tests.tenants.dashboard.accounts.test_mailed_code import mailed


def own_browser(tenant: CreatedTenant) -> Client:
    """Return a browser that has just signed in by password."""
    tenant.owner.set_password("correct horse")
    with operator_work():
        tenant.owner.save()
    client = Client(REMOTE_ADDR=f"10.61.0.{tenant.owner.pk.int % 250 + 1}")
    client.post("/sign-in", {"username": tenant.owner.email, "password": "correct horse"})
    return client


def again(client: Client, path: str) -> str:
    """Enter the password once more, after which the original request goes on. Return where it leads."""
    asked = client.post(path)
    assert asked.headers["Location"].startswith("/sign-in/again")
    answer = client.post(asked.headers["Location"], {"password": "correct horse"})
    found = re.search(r"content=\"0; url=([^\"]+)\"", answer.content.decode())
    return html.unescape(found[1]) if found else answer.headers["Location"]


def test_one_connects_it_signed_in_after_the_password_once_more_and_takes_it_away(
    stranger: Client, provider: OpenIdProvider, tenant: CreatedTenant, mailoutbox: list[EmailMessage]
) -> None:
    own = own_browser(tenant)
    provider.be("private@elsewhere.example")
    answer = back(own, again(own, "/account/sign-on/company/connect"))
    assert answer.headers["Location"] == "/account/sign-on"
    page = own.get("/account/sign-on").content.decode()
    assert "private@elsewhere.example" in page
    assert "Company is now connected. You can sign in with it." in page
    assert mailoutbox[-1].subject == "Company can now be used to sign in to your account"
    assert tenant.owner.email == User.objects.get(pk=tenant.owner.pk).email
    back(stranger, away(stranger))
    assert stranger.session["_auth_user_id"] == str(tenant.owner.pk)
    assert own.post("/account/sign-on/company/remove").headers["Location"] == "/account/sign-on"
    with operator_work():
        assert not SocialAccount.objects.filter(user=tenant.owner).exists()
    assert actions(tenant.tenant) == ["sign_on.connected", "sign_on.used", "sign_on.removed"]
    assert mailoutbox[-1].subject == "Company can no longer be used to sign in to your account"


def test_what_somebody_else_signs_in_with_is_not_connected(
    provider: OpenIdProvider, connected: User, other_tenant: CreatedTenant
) -> None:
    own = own_browser(other_tenant)
    back(own, again(own, "/account/sign-on/company/connect"))
    assert "Another profile here is already connected" in own.get("/account/sign-on").content.decode()
    with operator_work():
        assert SocialAccount.objects.get(uid=provider.person["sub"]).user_id == connected.pk


def test_a_sign_in_that_a_stranger_began_connects_nothing(
    provider: OpenIdProvider, stranger: Client, tenant: CreatedTenant, email: str
) -> None:
    """An attacker who makes a member's browser open the end of the attacker's own sign-in does not get into the
    member's account.
    """
    provider.be(email)
    theirs = httpx.get(away(stranger)).headers["Location"].removeprefix(OWN_SERVICE)
    own = own_browser(tenant)
    assert own.get(theirs).status_code == 401
    with operator_work():
        assert not SocialAccount.objects.filter(user=tenant.owner).exists()


def test_the_last_way_in_is_not_taken_away(
    stranger: Client, provider: OpenIdProvider, connected: User, mailoutbox: list[EmailMessage]
) -> None:
    connected.set_unusable_password()
    with operator_work():
        connected.save()
    back(stranger, away(stranger))
    stranger.post("/sign-in/again/mail/send")
    stranger.post("/sign-in/again/mail", {"code": mailed(mailoutbox)})
    stranger.post("/account/sign-on/company/remove")
    assert "Set a password first" in stranger.get("/account/sign-on").content.decode()
    with operator_work():
        assert SocialAccount.objects.filter(user=connected).exists()
