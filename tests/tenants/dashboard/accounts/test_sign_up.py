"""Tests of sign-up: people register where it is open, with an address that is theirs, and nobody learns who is
registered.
"""

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core.mail import EmailMessage
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from tenants.accounts.models import Membership, Tenant, User
from tenants.api_keys.models import ApiKey
from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.selectors import current_plan
from tests.fixtures import unique
from tests.tenants.dashboard.accounts.conftest import link_in
from tests.tenants.plans.selling import plan_for_new_tenants

PASSWORD = "correct horse"


@pytest.fixture(autouse=True)
def _open(settings: Settings) -> None:
    settings.MAAS_SIGN_UP = "open"


def sign_up(client: Client, email: str, **fields: str) -> HttpResponse:
    form = {"tenant": "Acme", "name": "Ada", "email": email, "password1": PASSWORD, **fields}
    return client.post("/sign-up", form)  # type: ignore[return-value]


def sign_in(client: Client, email: str) -> HttpResponse:
    return client.post("/sign-in", {"username": email, "password": PASSWORD})  # type: ignore[return-value]


def test_who_signs_up_confirms_the_address_and_is_the_owner_of_an_account(
    stranger: Client, email: str, mailoutbox: list[EmailMessage]
) -> None:
    assert sign_up(stranger, email).headers["Location"] == "/sign-up/sent"
    assert sign_in(stranger, email).headers["Location"] == "/sign-up/sent"
    link = link_in(mailoutbox[0])
    assert "Confirm your email address" in stranger.get(link).content.decode()
    assert stranger.get("/jobs").status_code == 302, "looking at the link confirms nothing"
    stranger.post(link)
    signed_in = Client(REMOTE_ADDR="10.63.0.1")
    assert sign_in(signed_in, email).headers["Location"] == "/jobs"
    assert "owner of Acme" in signed_in.get("/jobs").content.decode()


def test_nobody_has_a_key_before_they_make_one(stranger: Client, email: str) -> None:
    sign_up(stranger, email, tenant=(name := unique("tenant")))
    with operator_work():
        tenant = Tenant.objects.get(name=name)
        assert Membership.objects.get(tenant=tenant).role == "owner"
        assert not ApiKey.objects.filter(tenant=tenant).exists()


def test_the_account_has_the_plan_for_new_ones_and_begins_its_audit_log(stranger: Client, email: str) -> None:
    with plan_for_new_tenants() as plan:
        sign_up(stranger, email, tenant=(name := unique("tenant")))
    with operator_work():
        tenant = Tenant.objects.get(name=name)
        assert current_plan(tenant.id) == plan
        actions = AuditEntry.objects.filter(tenant=tenant).order_by("id").values_list("action", flat=True)
        assert list(actions) == ["tenant.created", "member.added"]


def test_a_known_address_reads_like_a_new_one_and_its_owner_is_told(
    stranger: Client, email: str, tenant: CreatedTenant, mailoutbox: list[EmailMessage]
) -> None:
    new, known = sign_up(stranger, email), sign_up(stranger, tenant.owner.email)
    assert (new.status_code, new.headers["Location"]) == (known.status_code, known.headers["Location"])
    told = mailoutbox[-1]
    assert told.to == [tenant.owner.email]
    assert "It already has an account" in told.body
    with operator_work():
        assert User.objects.filter(email=tenant.owner.email).count() == 1
        assert not Tenant.objects.filter(name="Acme", id=tenant.tenant.id).exists()


def test_a_known_address_costs_as_much_as_a_new_one(
    tenant: CreatedTenant, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hash takes nearly all of the time, with any hasher that is good for passwords. Both cases therefore need the
    same number of equally strong hashes.
    """
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    monkeypatch.setattr(PBKDF2PasswordHasher, "iterations", 1000)
    hashed: list[str] = []
    encode = PBKDF2PasswordHasher.encode

    def counted(self: PBKDF2PasswordHasher, password: str, salt: str, iterations: int | None = None) -> str:
        hashed.append(password)
        return encode(self, password, salt, iterations)

    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", counted)
    for email in (f"{unique('new')}@example.com", tenant.owner.email):
        sign_up(Client(REMOTE_ADDR="10.62.0.1"), email)
    assert hashed == [PASSWORD] * 2


def test_where_it_is_by_invitation_the_page_says_so(stranger: Client, email: str, settings: Settings) -> None:
    settings.MAAS_SIGN_UP = "invitation"
    assert "Accounts are by invitation" in stranger.get("/sign-up").content.decode()
    sign_up(stranger, email)
    with operator_work():
        assert not User.objects.filter(email=email).exists()


def test_what_is_wrong_stands_beside_its_field_and_nothing_is_made(stranger: Client, email: str) -> None:
    page = sign_up(stranger, email, password1="short", tenant="").content.decode()
    assert 'id="id_password1_error"' in page
    assert 'id="id_tenant_error"' in page
    with operator_work():
        assert not User.objects.filter(email=email).exists()


def test_a_link_that_somebody_has_changed_confirms_nothing(
    stranger: Client, email: str, mailoutbox: list[EmailMessage]
) -> None:
    sign_up(stranger, email)
    link = link_in(mailoutbox[0])
    assert "no longer works" in stranger.get(f"{link}x").content.decode()
    assert stranger.post(f"{link}x").status_code == 404


def test_mails_to_one_address_are_few(stranger: Client, email: str, mailoutbox: list[EmailMessage]) -> None:
    answers = [sign_up(stranger, email).status_code for _ in range(7)]
    assert answers[:5] == [302] * 5
    assert answers[5:] == [429] * 2
    assert len(mailoutbox) == 5


def test_who_was_made_by_an_operator_needs_to_confirm_nothing(stranger: Client, tenant: CreatedTenant) -> None:
    assert sign_in(stranger, tenant.owner.email).headers["Location"] == "/jobs"


def test_without_a_mail_server_the_mail_is_in_the_log_and_the_page_says_so(
    stranger: Client,
    email: str,
    settings: Settings,
    capfd: pytest.CaptureFixture[str],
    mailoutbox: list[EmailMessage],
) -> None:
    settings.MAAS_EMAIL_URL = ""
    sign_up(stranger, email)
    assert "mail is in the log" not in stranger.get("/sign-in").content.decode()
    assert "is in the log of the service" in stranger.get("/sign-up/sent").content.decode()
    assert mailoutbox == []


def test_without_a_mail_server_where_others_reach_nothing_is_shown(
    stranger: Client, tenant: CreatedTenant, settings: Settings
) -> None:
    settings.MAAS_EMAIL_URL = ""
    settings.SECURE_SSL_REDIRECT = True
    answer = stranger.post("/password/forgotten", {"email": tenant.owner.email}, secure=True)
    assert answer.status_code == 503
    assert "this service cannot send emails" in answer.content.decode()
