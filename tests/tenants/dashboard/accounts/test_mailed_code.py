"""Tests that a person who signs in only through other providers must enter a mailed code before important actions."""

import re
import time
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core.mail import EmailMessage
from django.test import Client
from pytest_django import Settings

from tenants.accounts import proving
from tenants.accounts.addresses import vouch_for
from tenants.accounts.models import Membership, User
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique

DANGEROUS = (
    "/account/delete",
    "/account/email",
    "/account/password/first",
    "/account/two-factor/app",
    "/account/two-factor/passkeys/new",
    "/account/sign-on/company/remove",
    "/tenant/delete",
)
PASSWORD = "battery staple"


@pytest.fixture
def person(tenant: CreatedTenant) -> User:
    tenant.owner.set_unusable_password()
    with operator_work():
        tenant.owner.save()
        vouch_for(tenant.owner)
        SocialAccount.objects.create(user=tenant.owner, provider="company", uid=unique("uid"))
    return tenant.owner


@pytest.fixture
def theirs(person: User, stranger: Client) -> Client:
    stranger.force_login(person)
    return stranger


def mailed(mailoutbox: list[EmailMessage]) -> str:
    found = re.search(r"^(\d{6})$", str(mailoutbox[-1].body), re.MULTILINE)
    assert found is not None, mailoutbox[-1].body
    return found[1]


def change_address(client: Client) -> Any:
    return client.post("/account/email", {"email": f"{unique('new')}@example.com", "action_add": ""})


@pytest.mark.parametrize("path", DANGEROUS)
def test_what_matters_asks_for_a_code(theirs: Client, path: str) -> None:
    answer = change_address(theirs) if path == "/account/email" else theirs.get(path)
    assert answer.status_code == 302, answer.content
    assert answer.headers["Location"].startswith("/sign-in/again/mail?next=")


def test_the_code_of_the_mail_leads_on_once(theirs: Client, person: User, mailoutbox: list[EmailMessage]) -> None:
    asked = theirs.get("/account/password/first").headers["Location"]
    assert "Send code" in theirs.get(asked).content.decode()
    assert mailoutbox == [], "to look at a page mails nothing"
    sent = theirs.post("/sign-in/again/mail/send", {"next": "/account/password/first"})
    assert sent.headers["Location"] == asked
    assert mailoutbox[-1].to == [person.email]
    code = mailed(mailoutbox)
    assert theirs.post(asked, {"code": f"{code[:3]} {code[3:]}"}).headers["Location"] == "/account/password/first"
    assert theirs.post("/account/password/first", {"password1": PASSWORD}).status_code == 302
    person.refresh_from_db()
    assert person.check_password(PASSWORD)


def test_what_was_to_be_done_is_done_after_the_code(theirs: Client, mailoutbox: list[EmailMessage]) -> None:
    asked = change_address(theirs).headers["Location"]
    theirs.post("/sign-in/again/mail/send", {"next": "/account/email"})
    code = mailed(mailoutbox)
    theirs.post(asked, {"code": code})
    assert "/confirm-email/" in mailoutbox[-1].body


def test_a_wrong_code_an_old_one_and_one_of_another_lead_nowhere(
    theirs: Client,
    other_tenant: CreatedTenant,
    mailoutbox: list[EmailMessage],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    theirs.post("/sign-in/again/mail/send")
    code = mailed(mailoutbox)
    assert theirs.post("/sign-in/again/mail", {"code": "x"}).status_code == 200
    other_tenant.owner.set_unusable_password()
    with operator_work():
        other_tenant.owner.save()
    other = Client(REMOTE_ADDR="10.59.0.1")
    other.force_login(other_tenant.owner)
    assert other.post("/sign-in/again/mail", {"code": code}).status_code == 200
    now_s = time.time()
    monkeypatch.setattr(time, "time", lambda: now_s + proving.LASTS_S + 1)
    assert theirs.post("/sign-in/again/mail", {"code": code}).status_code == 200
    assert change_address(theirs).headers["Location"].startswith("/sign-in/again/mail")


def test_after_a_few_wrong_ones_the_right_one_is_too_late(theirs: Client, mailoutbox: list[EmailMessage]) -> None:
    theirs.post("/sign-in/again/mail/send")
    code = mailed(mailoutbox)
    for _ in range(proving.MAX_TRIES):
        theirs.post("/sign-in/again/mail", {"code": "000000" if code != "000000" else "000001"})
    assert theirs.post("/sign-in/again/mail", {"code": code}).status_code == 200


def test_codes_are_mailed_a_few_times(theirs: Client, mailoutbox: list[EmailMessage]) -> None:
    assert [theirs.post("/sign-in/again/mail/send").status_code for _ in range(6)] == [302] * 5 + [429]
    assert len(mailoutbox) == 5


def test_whoever_has_a_password_is_asked_for_that_and_mailed_nothing(
    stranger: Client, tenant: CreatedTenant, mailoutbox: list[EmailMessage]
) -> None:
    stranger.force_login(tenant.owner)
    assert stranger.get("/sign-in/again/mail").headers["Location"] == "/sign-in/again"
    assert stranger.get("/tenant/delete").headers["Location"].startswith("/sign-in/again?")


def test_nobody_is_led_elsewhere_by_it(theirs: Client, mailoutbox: list[EmailMessage]) -> None:
    sent = theirs.post("/sign-in/again/mail/send", {"next": "https://evil.example/"})
    assert sent.headers["Location"] == "/sign-in/again/mail"
    code = mailed(mailoutbox)
    answer = theirs.post("/sign-in/again/mail?next=//evil.example/", {"code": code})
    assert answer.headers["Location"] == "/jobs"


def test_without_mail_an_operator_has_to_help(theirs: Client, settings: Settings) -> None:
    settings.MAAS_EMAIL_URL = ""
    settings.SECURE_SSL_REDIRECT = True
    answer = theirs.post("/sign-in/again/mail/send", secure=True)
    assert answer.status_code == 503
    assert "Ask the operator" in answer.content.decode()


def test_an_owner_is_asked_again_before_they_hand_over(stranger: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        person = User.objects.create_user(f"{unique('person')}@example.com", PASSWORD)
        member = Membership.objects.create(tenant=tenant.tenant, user=person, role="admin")
    stranger.force_login(tenant.owner)
    answer = stranger.post(f"/members/{member.pk}/hand-over")
    assert answer.headers["Location"].startswith("/sign-in/again?next=")
    stranger.post(answer.headers["Location"], {"password": "correct horse"})
    with operator_work():
        member.refresh_from_db()
    assert member.role == "owner"
