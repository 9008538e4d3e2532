"""Tests of signing in through an OpenID provider that speaks HTTP: who may, as whom, and that no false data is
accepted.
"""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.test import Client
from pytest_django import Settings

from tenants.accounts.models import User
from tenants.audit.models import AuditEntry
from tenants.authentication.sign_on.configured import SignOnProvider
from tenants.authentication.sign_on.provider_http import MAX_BYTES
from tenants.core.db.unit_of_work import operator_work
from tenants.dashboard.sign_in.attempts import PER_PLACE
from tenants.onboarding.create_tenant import CreatedTenant
from tests.open_id_provider import CLIENT_ID, SECRET, OpenIdProvider
from tests.tenants.accounts.second_step import give_app, give_recovery_code
from tests.tenants.dashboard.accounts.conftest import OWN_SERVICE, actions, away, back, signed_in


def test_who_has_connected_it_signs_in_and_the_account_is_told(
    stranger: Client, provider: OpenIdProvider, connected: User, tenant: CreatedTenant
) -> None:
    answer = back(stranger, away(stranger, next="/usage"))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/usage")
    assert stranger.session["_auth_user_id"] == str(connected.pk)
    assert actions(tenant.tenant) == ["sign_on.used"]
    with operator_work():
        entry = AuditEntry.objects.get(tenant=tenant.tenant, action="sign_on.used")
    assert (entry.actor_kind, entry.actor_id, entry.subject_name) == ("person", connected.pk, connected.email)
    assert entry.changes == {"through": {"before": None, "after": "Company"}}


def test_each_sign_in_has_a_state_a_nonce_and_a_proof_of_its_own(
    stranger: Client, provider: OpenIdProvider, connected: User
) -> None:
    first, second = (parse_qs(urlsplit(away(stranger)).query) for _ in range(2))
    assert first["code_challenge_method"] == ["S256"]
    assert first["response_type"] == ["code"]
    assert set(first["scope"][0].split()) == {"openid", "profile", "email"}
    for name in ("state", "nonce", "code_challenge"):
        assert first[name] != second[name]


def test_what_a_browser_adds_is_not_sent_to_the_provider(stranger: Client, provider: OpenIdProvider) -> None:
    sent = away(stranger, "/sign-in/with/company?scope=admin&auth_params=prompt%3Dnone&process=connect")
    query = parse_qs(urlsplit(sent).query)
    assert "admin" not in query["scope"][0]
    assert "prompt" not in query


def test_no_policy_names_the_provider_and_the_page_that_leads_there_is_no_form(
    stranger: Client, provider: OpenIdProvider
) -> None:
    """Browsers apply the policy to a form wherever it leads, so a page leads to the provider instead."""
    for answer in (stranger.get("/sign-in"), stranger.post("/sign-in/with/company")):
        policy = answer.headers["Content-Security-Policy"]
        assert "form-action 'self'" in policy
        assert "127.0.0.1" not in policy


def test_nobody_is_sent_anywhere_by_a_link_or_from_another_site(provider: OpenIdProvider) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.get("/sign-in/with/company").status_code == 405
    assert client.post("/sign-in/with/company").status_code == 403


def test_where_nothing_is_configured_nothing_is_there(stranger: Client) -> None:
    assert "sign-in/with" not in stranger.get("/sign-in").content.decode()
    assert stranger.post("/sign-in/with/company").status_code == 404
    assert stranger.get("/sign-in/with/company/back?code=1&state=2").status_code == 404


@pytest.mark.parametrize(
    "change",
    [
        lambda url: re.sub(r"state=[^&]+", "state=another", url),
        lambda url: re.sub(r"&?state=[^&]+", "", url),
        lambda url: re.sub(r"code=[^&]+", "code=another", url),
    ],
    ids=["another state", "no state", "another code"],
)
def test_a_changed_answer_signs_nobody_in(
    stranger: Client, provider: OpenIdProvider, connected: User, change: Callable[[str], str]
) -> None:
    answer = back(stranger, away(stranger), change)
    assert answer.status_code == 401
    assert not signed_in(stranger)
    assert "Sign-in failed" in answer.content.decode()


def test_an_answer_counts_in_the_session_that_asked_and_once(
    stranger: Client, provider: OpenIdProvider, connected: User
) -> None:
    sent = httpx.get(away(stranger)).headers["Location"].removeprefix(OWN_SERVICE)
    another = Client(REMOTE_ADDR="10.62.0.1")
    assert another.get(sent).status_code == 401
    assert not signed_in(another)
    assert stranger.get(sent).status_code == 302
    assert signed_in(stranger)
    assert stranger.get(sent).status_code == 401


WRONG: dict[str, dict[str, object]] = {
    "another nonce": {"lies": {"nonce": "another"}},
    "no nonce": {"lies": {"nonce": None}},
    "for somebody else": {"lies": {"aud": "somebody-else"}},
    "for us and somebody else": {"lies": {"aud": [CLIENT_ID, "somebody-else"], "azp": "somebody-else"}},
    "another issuer": {"lies": {"iss": "https://other.example"}},
    "expired": {"lies": {"exp": 1_000_000}},
    "never expiring": {"lies": {"exp": None}},
    "of nobody": {"lies": {"sub": None}},
    "another key": {"algorithm": "RS256", "signs_with": rsa.generate_private_key(65537, 2048)},
    "our own secret": {"algorithm": "HS256", "signs_with": SECRET + "-and-so-long-that-it-may-be-used"},
    "unsigned": {"algorithm": "none", "signs_with": ""},
    "endless keys": {"padded": {"keys": "x" * (MAX_BYTES + 1)}},
    "endless token": {"padded": {"token": "x" * (MAX_BYTES + 1)}},
    "endless userinfo": {"padded": {"userinfo": "x" * (MAX_BYTES + 1)}, "in_userinfo_only": True},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_token_or_an_endless_answer_signs_nobody_in(
    stranger: Client, provider: OpenIdProvider, connected: User, wrong: str
) -> None:
    for name, value in WRONG[wrong].items():
        setattr(provider, name, value)
    assert back(stranger, away(stranger)).status_code == 401
    assert not signed_in(stranger)


def test_what_is_told_of_another_person_than_the_tokens_signs_nobody_in(
    stranger: Client, provider: OpenIdProvider, connected: User
) -> None:
    provider.in_userinfo_only = True
    provider.userinfo_lies = {"sub": "another"}
    assert back(stranger, away(stranger)).status_code == 401
    provider.userinfo_lies = {}
    assert back(stranger, away(stranger)).status_code == 302
    assert signed_in(stranger)


@pytest.mark.parametrize(
    "description",
    [
        {"issuer": "https://other.example"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": None},
        {"padding": "x" * (MAX_BYTES + 1)},
    ],
    ids=["another issuer", "another scheme", "no keys", "endless"],
)
def test_a_provider_that_describes_itself_wrongly_is_not_used(
    stranger: Client, provider: OpenIdProvider, description: dict[str, object]
) -> None:
    provider.description = description
    answer = stranger.post("/sign-in/with/company")
    assert answer.status_code == 401
    assert "http-equiv" not in answer.content.decode()


def test_a_provider_that_is_away_is_told_of(stranger: Client, settings: Settings) -> None:
    settings.MAAS_SIGN_ON = (SignOnProvider("company", "Company", "a", "b", url="http://127.0.0.1:9"),)
    answer = stranger.post("/sign-in/with/company")
    assert answer.status_code == 401
    assert "Company did not confirm who you are" in answer.content.decode()


def test_one_that_does_not_answer_is_not_asked_with_every_click(
    stranger: Client, provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.broken = True
    assert [stranger.post("/sign-in/with/company").status_code for _ in range(3)] == [401] * 3
    assert provider.times_described == 1
    provider.broken = False
    monkeypatch.setattr("tenants.authentication.sign_on.provider_http._away", {})
    assert away(stranger)
    assert provider.times_described == 2


def test_it_is_asked_again_after_a_while(
    stranger: Client, provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenants.authentication.sign_on.provider_http.AWAY_FOR_S", 0.0)
    provider.broken = True
    assert stranger.post("/sign-in/with/company").status_code == 401
    provider.broken = False
    assert away(stranger)


def test_going_there_without_coming_back_signed_in_is_bounded(
    stranger: Client, provider: OpenIdProvider, connected: User
) -> None:
    for _ in range(PER_PLACE - 1):
        away(stranger)
    assert back(stranger, away(stranger)).status_code == 302
    stranger.logout()
    assert away(stranger), "who came back signed in does not count"
    refused = stranger.post("/sign-in/with/company")
    assert refused.status_code == 429
    assert "Too many sign-ins with another service" in refused.content.decode()
    assert int(refused["Retry-After"]) > 0


def test_who_stops_there_is_told_so(stranger: Client, provider: OpenIdProvider) -> None:
    provider.refuses = True
    assert back(stranger, away(stranger)).headers["Location"] == "/sign-in/stopped"
    assert "Sign-in canceled" in stranger.get("/sign-in/stopped").content.decode()


def test_the_second_step_is_still_asked_for(stranger: Client, provider: OpenIdProvider, connected: User) -> None:
    give_app(connected)
    code = give_recovery_code(connected)
    answer = back(stranger, away(stranger))
    assert answer.headers["Location"] == "/sign-in/code"
    assert not signed_in(stranger)
    stranger.post("/sign-in/code", {"code": code})
    assert signed_in(stranger)


def test_an_operator_needs_a_second_step_for_the_admin_all_the_same(
    stranger: Client, provider: OpenIdProvider, connected: User, settings: Settings
) -> None:
    settings.MAAS_STAFF_TWO_FACTOR = True
    with operator_work():
        User.objects.filter(pk=connected.pk).update(is_staff=True, is_superuser=True)
    back(stranger, away(stranger))
    assert signed_in(stranger)
    assert stranger.get("/admin/").status_code == 302


def test_who_is_shut_out_stays_out(stranger: Client, provider: OpenIdProvider, connected: User) -> None:
    with operator_work():
        User.objects.filter(pk=connected.pk).update(is_active=False)
    assert back(stranger, away(stranger)).headers["Location"] == "/shut"
    assert not signed_in(stranger)
