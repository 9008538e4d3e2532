"""Signing in through an OpenID provider that speaks HTTP: who may, as whom, and what no lie opens."""

import html
import re
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.mail import EmailMessage
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from tenants.accounts.addresses import vouch_for
from tenants.accounts.invitations import token_of
from tenants.accounts.sign_on.asking import MOST_BYTES
from tenants.accounts.sign_on.configured import SignOnProvider
from tenants.context import operator_work, unit_of_work
from tenants.models import AuditEntry, Invitation, Membership, Tenant, User
from tenants.pages.sign_in.attempts import PER_PLACE
from tenants.services import CreatedTenant
from tests.fixtures import unique
from tests.open_id_provider import CLIENT_ID, SECRET, OpenIdProvider, running_provider

from .conftest import link_in
from .test_mailed_code import mailed

OWN_SERVICE = "http://127.0.0.1:8000"


@pytest.fixture
def provider(settings: Settings) -> Iterator[OpenIdProvider]:
    with running_provider() as provider:
        settings.MAAS_PUBLIC_URL = OWN_SERVICE
        settings.MAAS_SIGN_ON = (SignOnProvider("company", "Company", CLIENT_ID, SECRET, url=provider.url),)
        yield provider


@pytest.fixture
def connected(provider: OpenIdProvider, tenant: CreatedTenant) -> User:
    """An owner who has connected it."""
    provider.be(tenant.owner.email)
    account = SocialAccount(user=tenant.owner, provider="company", uid=provider.person["sub"])
    account.save()
    tenant.owner.set_password("correct horse")
    tenant.owner.save()
    vouch_for(tenant.owner)
    return tenant.owner


def away(client: Client, path: str = "/sign-in/with/company", **form: str) -> str:
    """Where the page that says so leads."""
    answer = client.post(path, form)
    assert answer.status_code == 200, answer.content
    found = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', answer.content.decode())
    assert found is not None
    return html.unescape(found[1])


def back(client: Client, authorize: str, change: Callable[[str], str] = str) -> HttpResponse:
    """As the browser does it: to the provider, and from there to where it sends it."""
    sent = httpx.get(authorize).headers["Location"]
    assert sent.startswith(f"{OWN_SERVICE}/sign-in/with/company/back?")
    return client.get(change(sent).removeprefix(OWN_SERVICE))  # type: ignore[return-value]


def signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def deeds(tenant: Tenant) -> list[str]:
    with operator_work():
        found = AuditEntry.objects.filter(tenant=tenant, deed__startswith="sign_on.").order_by("id")
        return list(found.values_list("deed", flat=True))


def test_who_has_connected_it_signs_in_and_the_account_is_told(
    stranger: Client, provider: OpenIdProvider, connected: User, tenant: CreatedTenant
) -> None:
    answer = back(stranger, away(stranger, next="/usage"))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/usage")
    assert stranger.session["_auth_user_id"] == str(connected.pk)
    assert deeds(tenant.tenant) == ["sign_on.used"]
    with operator_work():
        entry = AuditEntry.objects.get(tenant=tenant.tenant, deed="sign_on.used")
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
    """Browsers hold a form to the policy wherever it leads: the way there is a page instead."""
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
    assert "You are not signed in" in answer.content.decode()


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


@pytest.mark.parametrize(
    "lies",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "somebody-else"},
        {"aud": [CLIENT_ID, "somebody-else"], "azp": "somebody-else"},
        {"iss": "https://other.example"},
        {"exp": 1_000_000},
        {"exp": None},
        {"sub": None},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_this_sign_in_signs_nobody_in(
    stranger: Client, provider: OpenIdProvider, connected: User, lies: dict[str, object]
) -> None:
    provider.lies = lies
    assert back(stranger, away(stranger)).status_code == 401
    assert not signed_in(stranger)


@pytest.mark.parametrize(
    ("algorithm", "key"),
    [
        ("RS256", rsa.generate_private_key(65537, 2048)),
        ("HS256", SECRET + "-and-so-long-that-it-may-be-used"),
        ("none", ""),
    ],
    ids=["another key", "our own secret", "none"],
)
def test_a_token_signed_otherwise_signs_nobody_in(
    stranger: Client, provider: OpenIdProvider, connected: User, algorithm: str, key: object
) -> None:
    provider.algorithm, provider.signs_with = algorithm, key
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
    ],
    ids=str,
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
    assert "Company could not be asked" in answer.content.decode()


@pytest.mark.parametrize("part", ["description", "keys", "token", "userinfo"])
def test_an_answer_of_any_size_is_not_read_to_its_end(
    stranger: Client, provider: OpenIdProvider, connected: User, part: str
) -> None:
    provider.in_userinfo_only = part == "userinfo"
    provider.padded = {part: "x" * (MOST_BYTES + 1)}
    if part == "description":
        assert stranger.post("/sign-in/with/company").status_code == 401
    else:
        assert back(stranger, away(stranger)).status_code == 401
    assert not signed_in(stranger)


def test_one_that_does_not_answer_is_not_asked_with_every_click(
    stranger: Client, provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.broken = True
    assert [stranger.post("/sign-in/with/company").status_code for _ in range(3)] == [401] * 3
    assert provider.times_described == 1
    provider.broken = False
    monkeypatch.setattr("tenants.accounts.sign_on.asking._away", {})
    assert away(stranger)
    assert provider.times_described == 2


def test_it_is_asked_again_after_a_while(
    stranger: Client, provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenants.accounts.sign_on.asking.AWAY_FOR_S", 0.0)
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
    assert "was begun too often" in refused.content.decode()
    assert int(refused["Retry-After"]) > 0


def test_who_stops_there_is_told_so(stranger: Client, provider: OpenIdProvider) -> None:
    provider.refuses = True
    assert back(stranger, away(stranger)).headers["Location"] == "/sign-in/stopped"
    assert "nothing was done" in stranger.get("/sign-in/stopped").content.decode()


def test_the_second_step_is_still_asked_for(
    stranger: Client, provider: OpenIdProvider, connected: User
) -> None:
    TOTP.activate(connected, generate_totp_secret())
    codes = RecoveryCodes.activate(connected).generate_codes()
    answer = back(stranger, away(stranger))
    assert answer.headers["Location"] == "/sign-in/code"
    assert not signed_in(stranger)
    stranger.post("/sign-in/code", {"code": codes[0]})
    assert signed_in(stranger)


def test_an_operator_needs_a_second_step_for_the_admin_all_the_same(
    stranger: Client, provider: OpenIdProvider, connected: User, settings: Settings
) -> None:
    settings.MAAS_STAFF_TWO_FACTOR = True
    User.objects.filter(pk=connected.pk).update(is_staff=True, is_superuser=True)
    back(stranger, away(stranger))
    assert signed_in(stranger)
    assert stranger.get("/admin/").status_code == 302


def test_who_is_shut_out_stays_out(stranger: Client, provider: OpenIdProvider, connected: User) -> None:
    User.objects.filter(pk=connected.pk).update(is_active=False)
    assert back(stranger, away(stranger)).headers["Location"] == "/shut"
    assert not signed_in(stranger)


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
        assert "You are known here already" in answer.content.decode()
    elif sign_up == "open":
        assert answer.headers["Location"] == "/sign-up/through"
        stranger.post("/sign-up/through", {"tenant": "Acme", "name": "Eve", "email": tenant.owner.email})
    assert not signed_in(stranger)
    assert not SocialAccount.objects.filter(user=tenant.owner).exists()
    assert User.objects.filter(email=tenant.owner.email).count() == 1


@pytest.mark.parametrize("sign_up", ["invitation", "closed"])
def test_who_is_not_known_does_not_come_in_where_signing_up_is_not_open(
    stranger: Client, provider: OpenIdProvider, email: str, settings: Settings, sign_up: str
) -> None:
    settings.MAAS_SIGN_UP = sign_up
    provider.be(email)
    assert "Nobody is known here by that" in back(stranger, away(stranger)).content.decode()
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
    assert deeds(owned) == ["sign_on.connected", "sign_on.used"]


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
    """Neither through the provider, nor by a second step or a session of theirs."""
    settings.MAAS_SIGN_UP = "open"
    provider.be("attacker@elsewhere.example", verified=False)
    back(stranger, away(stranger))
    stranger.post("/sign-up/through", {"tenant": "Acme", "name": "Eve", "email": email})
    reader = Client(REMOTE_ADDR="10.61.7.3")
    assert "Sign in</a> here as you did there" in reader.get(link_in(mailoutbox[0])).content.decode()
    assert reader.post(link_in(mailoutbox[0])).status_code == 422
    assert not EmailAddress.objects.filter(email=email, verified=True).exists()
    person = User.objects.get(email=email)
    TOTP.activate(person, generate_totp_secret())
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
    assert not SocialAccount.objects.filter(user=person).exists()
    with operator_work():
        owned = Membership.objects.get(user=person).tenant
    assert deeds(owned) == ["sign_on.connected", "sign_on.removed"]


def test_who_has_confirmed_their_address_keeps_what_they_sign_in_through(
    stranger: Client, connected: User, mailoutbox: list[EmailMessage]
) -> None:
    stranger.post("/password/forgotten", {"email": connected.email})
    form = stranger.get(link_in(mailoutbox[-1]), follow=True).redirect_chain[-1][0]
    stranger.post(form, {"password1": "battery staple"})
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
    assert "Nobody is known here" in answer.content.decode()


def own_browser(tenant: CreatedTenant) -> Client:
    """Signed in by password just now."""
    tenant.owner.set_password("correct horse")
    tenant.owner.save()
    client = Client(REMOTE_ADDR=f"10.61.0.{tenant.owner.pk.int % 250 + 1}")
    client.post("/sign-in", {"username": tenant.owner.email, "password": "correct horse"})
    return client


def again(client: Client, path: str) -> str:
    """The password once more; then what was asked for goes on. Where it leads."""
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
    assert "You can sign in through Company now." in page
    assert mailoutbox[-1].subject == "Company can now be used to sign in as you"
    assert tenant.owner.email == User.objects.get(pk=tenant.owner.pk).email
    back(stranger, away(stranger))
    assert stranger.session["_auth_user_id"] == str(tenant.owner.pk)
    assert own.post("/account/sign-on/company/remove").headers["Location"] == "/account/sign-on"
    assert not SocialAccount.objects.filter(user=tenant.owner).exists()
    assert deeds(tenant.tenant) == ["sign_on.connected", "sign_on.used", "sign_on.removed"]
    assert mailoutbox[-1].subject == "Company can no longer be used to sign in as you"


def test_what_somebody_else_signs_in_with_is_not_connected(
    provider: OpenIdProvider, connected: User, other_tenant: CreatedTenant
) -> None:
    own = own_browser(other_tenant)
    back(own, again(own, "/account/sign-on/company/connect"))
    assert "Somebody else signs in here" in own.get("/account/sign-on").content.decode()
    assert SocialAccount.objects.get(uid=provider.person["sub"]).user_id == connected.pk


def test_a_sign_in_that_a_stranger_began_connects_nothing(
    provider: OpenIdProvider, stranger: Client, tenant: CreatedTenant, email: str
) -> None:
    """Whoever makes a member's browser open the end of their own sign-in does not get into the member's account."""
    provider.be(email)
    theirs = httpx.get(away(stranger)).headers["Location"].removeprefix(OWN_SERVICE)
    own = own_browser(tenant)
    assert own.get(theirs).status_code == 401
    assert not SocialAccount.objects.filter(user=tenant.owner).exists()


def test_the_last_way_in_is_not_taken_away(
    stranger: Client, provider: OpenIdProvider, connected: User, mailoutbox: list[EmailMessage]
) -> None:
    connected.set_unusable_password()
    connected.save()
    back(stranger, away(stranger))
    stranger.post("/sign-in/again/mail/send")
    stranger.post("/sign-in/again/mail", {"code": mailed(mailoutbox)})
    stranger.post("/account/sign-on/company/remove")
    assert "Choose a password first" in stranger.get("/account/sign-on").content.decode()
    assert SocialAccount.objects.filter(user=connected).exists()
