"""Tests of the code beside the password: it is set up, requested, lost, and required of operators."""

import re
from collections.abc import Callable

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from pytest_django import Settings

from tenants.accounts.models import User
from tenants.accounts.second_factors import passkeys_work_at
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.tenants.accounts.second_step import code_of
from tests.tenants.dashboard.accounts.test_sign_up import PASSWORD, sign_in

OWN = "/account/two-factor"


def set_up(client: Client) -> str:
    """Set up an app, and return the secret that it would hold."""
    client.get(f"{OWN}/app")
    page = client.post("/sign-in/again", {"password": PASSWORD, "next": f"{OWN}/app"}, follow=True)
    found = re.search(r'class="secret-words">(\w+)<', page.content.decode())
    assert found is not None
    assert client.post(f"{OWN}/app", {"code": code_of(found[1])}).headers["Location"] == f"{OWN}/codes"
    return found[1]


def recovery_codes(client: Client) -> list[str]:
    return client.get(f"{OWN}/codes.txt").content.decode().split("\n\n")[1].split()


@pytest.fixture
def secret(stranger: Client, tenant: CreatedTenant) -> str:
    """Return the secret of an app that the owner has set up."""
    sign_in(stranger, tenant.owner.email)
    return set_up(stranger)


def test_a_code_is_asked_for_beside_the_password(secret: str, tenant: CreatedTenant) -> None:
    elsewhere = Client(REMOTE_ADDR="10.60.0.1")
    assert sign_in(elsewhere, tenant.owner.email).headers["Location"] == "/sign-in/code"
    assert elsewhere.get("/jobs").status_code == 302, "the password alone opens nothing"
    assert "Wrong code" in elsewhere.post("/sign-in/code", {"code": "000000"}).content.decode()
    assert elsewhere.post("/sign-in/code", {"code": code_of(secret)}).headers["Location"] == "/jobs"


@pytest.mark.parametrize("recovery", [False, True], ids=["app", "recovery code"])
def test_a_code_works_once(stranger: Client, secret: str, tenant: CreatedTenant, recovery: bool) -> None:
    kept = recovery_codes(stranger)
    assert len(kept) == 10
    code, statuses = kept[0] if recovery else code_of(secret), []
    for number in (1, 2):
        browser = Client(REMOTE_ADDR=f"10.60.{1 + recovery}.{number}")
        sign_in(browser, tenant.owner.email)
        statuses.append(browser.post("/sign-in/code", {"code": code}).status_code)
    assert statuses == [302, 200]


@pytest.fixture
def without_cache(settings: Settings) -> Callable[[], None]:
    """Return a function that makes the cache unavailable. Nothing listens at port 1."""

    def go_away() -> None:
        settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}}

    return go_away


def test_without_cache_a_right_code_is_answered_and_a_recovery_code_opens(
    stranger: Client, secret: str, tenant: CreatedTenant, without_cache: Callable[[], None]
) -> None:
    kept = recovery_codes(stranger)
    elsewhere = Client(REMOTE_ADDR="10.60.4.1")
    sign_in(elsewhere, tenant.owner.email)
    without_cache()
    answer = elsewhere.post("/sign-in/code", {"code": code_of(secret)})
    assert answer.status_code == 200
    assert "cannot be checked right now" in answer.content.decode()
    assert elsewhere.get("/jobs").status_code == 302, "a code that may have been used before opens nothing"
    assert elsewhere.post("/sign-in/code", {"code": kept[0]}).headers["Location"] == "/jobs"


def test_codes_are_guessed_as_seldom_as_passwords(secret: str, tenant: CreatedTenant) -> None:
    browser = Client(REMOTE_ADDR="10.60.3.1")
    sign_in(browser, tenant.owner.email)
    statuses = [browser.post("/sign-in/code", {"code": "000000"}).status_code for _ in range(11)]
    assert statuses == [200] * 10 + [429]
    assert browser.post("/sign-in/code", {"code": code_of(secret)}).status_code == 429


def test_the_secret_is_not_in_the_database_as_it_is(secret: str, tenant: CreatedTenant) -> None:
    with operator_work():
        kept = str(list(Authenticator.objects.filter(user=tenant.owner).values_list("data", flat=True)))
    assert secret not in kept


def test_nothing_is_set_up_by_whoever_finds_an_open_screen(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    for page in ("app", "passkeys/new", "codes/new"):
        assert client.get(f"{OWN}/{page}").headers["Location"].startswith("/sign-in/again")


def test_anothers_passkey_is_like_one_that_never_was(
    stranger: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    with operator_work():
        theirs = Authenticator.objects.create(
            user=other_tenant.owner, type=Authenticator.Type.WEBAUTHN, data={"name": "theirs"}
        )
    sign_in(stranger, tenant.owner.email)
    stranger.post("/sign-in/again", {"password": PASSWORD, "next": "/account"})
    for number in (theirs.pk, theirs.pk + 1_000_000):
        page = f"{OWN}/passkeys/{number}/remove"
        assert (stranger.get(page).status_code, stranger.post(page).status_code) == (404, 404)
    with operator_work():
        assert Authenticator.objects.filter(pk=theirs.pk).exists()


def test_an_operator_without_one_does_not_enter(stranger: Client, operator: User, settings: Settings) -> None:
    settings.MAAS_STAFF_TWO_FACTOR = True
    sign_in(stranger, operator.email)
    page = stranger.get("/admin/", follow=True)
    assert page.redirect_chain[-1][0] == f"{OWN}?next=%2Fadmin%2F"
    assert "Operators need two-factor" in page.content.decode()
    assert stranger.get("/admin/tenants/tenant/").status_code == 302
    assert stranger.get("/admin/live/").status_code == 302


def test_an_operator_enters_with_one(stranger: Client, operator: User, settings: Settings) -> None:
    settings.MAAS_STAFF_TWO_FACTOR = True
    sign_in(stranger, operator.email)
    secret = set_up(stranger)
    assert stranger.get("/admin/").status_code == 302, "set up is not shown"
    assert stranger.get("/admin/login/?next=/admin/").headers["Location"].startswith("/sign-in/again/code")
    browser = Client(REMOTE_ADDR="10.60.4.1")
    sign_in(browser, operator.email)
    browser.post("/sign-in/code", {"code": code_of(secret)})
    assert browser.get("/admin/").status_code == 200
    with operator_work():
        Authenticator.objects.filter(user=operator).delete()
    assert browser.get("/admin/").status_code == 302, "one that was taken away counts no more"


def test_where_it_is_not_asked_for_an_operator_enters_with_the_password(stranger: Client, operator: User) -> None:
    sign_in(stranger, operator.email)
    assert stranger.get("/admin/").status_code == 200


def test_passkeys_are_bound_to_names() -> None:
    hosts = ("127.0.0.1:8000", "[::1]:80", "10.0.0.1", "localhost:8000", "maas.example")
    assert [passkeys_work_at(host) for host in hosts] == [False, False, False, True, True]
