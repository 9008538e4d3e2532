"""Tests that the link in a mail shows who reads the address, and that it admits nobody who typed it: that takes their
password as well.
"""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.test import Client
from pytest_django import Settings

from tenants.accounts.addresses import vouch_for
from tenants.accounts.models import Membership, Tenant, User
from tenants.core.db.unit_of_work import operator_work
from tenants.dashboard.sign_in.attempts import PER_PAIR
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.tenants.dashboard.accounts.conftest import link_in
from tests.tenants.dashboard.accounts.test_sign_up import PASSWORD, sign_in, sign_up


@pytest.fixture(autouse=True)
def _open(settings: Settings) -> None:
    settings.MAAS_SIGN_UP = "open"


@pytest.fixture
def victim() -> Client:
    """Return the browser of the person who reads the address. It is not the browser of the person who typed it."""
    return Client(REMOTE_ADDR="10.61.0.1")


def is_confirmed(email: str) -> bool:
    with operator_work():
        return bool(EmailAddress.objects.filter(email=email, verified=True).exists())


def words(answer: Any) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def test_the_link_alone_lets_nobody_in_who_signed_up_with_anothers_address(
    stranger: Client, victim: Client, email: str, mailoutbox: list[EmailMessage]
) -> None:
    sign_up(stranger, email)
    link = link_in(mailoutbox[0])
    assert "the password" in words(victim.get(link))
    assert victim.post(link).status_code == 422
    assert victim.post(link, {"password": "not the one they chose"}).status_code == 422
    assert not is_confirmed(email)
    assert sign_in(stranger, email).headers["Location"] == "/sign-up/sent", "whoever typed it is not let in"


def test_in_another_browser_the_password_confirms(
    stranger: Client, victim: Client, email: str, mailoutbox: list[EmailMessage]
) -> None:
    """The mail was read in another browser, as on a phone."""
    sign_up(stranger, email)
    answer = victim.post(link_in(mailoutbox[0]), {"password": PASSWORD})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/sign-in")
    assert is_confirmed(email)
    assert sign_in(victim, email).headers["Location"] == "/jobs"


def test_where_they_signed_up_a_press_of_a_button_is_enough(
    stranger: Client, email: str, mailoutbox: list[EmailMessage]
) -> None:
    sign_up(stranger, email)
    link = link_in(mailoutbox[0])
    assert 'type="password"' not in words(stranger.get(link))
    assert stranger.post(link).status_code == 302
    assert is_confirmed(email)


def test_whoever_it_was_not_has_it_deleted_and_signs_up_themselves(
    stranger: Client, victim: Client, email: str, mailoutbox: list[EmailMessage]
) -> None:
    sign_up(stranger, email, tenant=(theirs := unique("theirs")))
    link = link_in(mailoutbox[0])
    assert "was removed. Nobody gained access" in words(victim.post(link, {"not_me": "1"}))
    with operator_work():
        assert not User.objects.filter(email=email).exists()
        assert Tenant.objects.get(name=theirs).state == Tenant.State.ERASING
    assert sign_in(stranger, email).status_code == 200, "nobody is there any more"
    assert victim.post(link).status_code == 404
    sign_up(victim, email)
    victim.post(link_in(mailoutbox[-1]))
    assert sign_in(victim, email).headers["Location"] == "/jobs"


def test_a_password_is_not_guessed_by_a_link(
    stranger: Client, victim: Client, email: str, mailoutbox: list[EmailMessage]
) -> None:
    sign_up(stranger, email)
    link = link_in(mailoutbox[0])
    tried = [victim.post(link, {"password": "wrong"}).status_code for _ in range(PER_PAIR + 1)]
    assert tried == [422] * PER_PAIR + [429]


@pytest.fixture
def changing(tenant: CreatedTenant, mailoutbox: list[EmailMessage]) -> tuple[Client, str, str]:
    """Return the browser, the requested address and the link of a person who asked to change their address."""
    person = tenant.owner
    person.set_password(PASSWORD)
    with operator_work():
        person.save()
        vouch_for(person)
    browser, wanted = Client(REMOTE_ADDR="10.61.0.2"), f"{unique('wanted')}@example.com"
    sign_in(browser, person.email)
    browser.post("/sign-in/again", {"password": PASSWORD})
    assert browser.post("/account/email", {"email": wanted, "action_add": ""}).status_code == 302
    return browser, wanted, link_in(next(mail for mail in mailoutbox if mail.to == [wanted]))


def test_an_address_that_is_changed_to_is_confirmed_by_whoever_asked(
    changing: tuple[Client, str, str], victim: Client, tenant: CreatedTenant
) -> None:
    browser, wanted, link = changing
    assert victim.post(link).status_code == 422, "else anybody could be made the bearer of another's account"
    tenant.owner.refresh_from_db()
    assert tenant.owner.email != wanted
    assert browser.post(link).status_code == 302
    tenant.owner.refresh_from_db()
    assert tenant.owner.email == wanted


def test_whoever_is_signed_in_as_another_stays_so_and_is_asked(
    changing: tuple[Client, str, str], other_tenant: CreatedTenant
) -> None:
    _, wanted, link = changing
    other = Client(REMOTE_ADDR="10.61.0.3")
    other.force_login(other_tenant.owner)
    assert 'type="password"' in words(other.get(link))
    assert other.post(link).status_code == 422
    assert other.session["_auth_user_id"] == str(other_tenant.owner.pk)
    assert not is_confirmed(wanted)


def test_a_change_that_it_was_not_is_given_up_and_the_account_stays(
    changing: tuple[Client, str, str], victim: Client, tenant: CreatedTenant
) -> None:
    _, wanted, link = changing
    victim.post(link, {"not_me": "1"})
    with operator_work():
        assert not EmailAddress.objects.filter(email=wanted).exists()
    with operator_work():
        assert Membership.objects.filter(user=tenant.owner).exists()


def test_the_mail_says_what_the_link_needs(stranger: Client, email: str, mailoutbox: list[EmailMessage]) -> None:
    sign_up(stranger, email)
    assert "in the browser that you used" in mailoutbox[0].body
    assert urlsplit(link_in(mailoutbox[0])).path.startswith("/confirm-email/")
