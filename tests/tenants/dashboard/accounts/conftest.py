"""A service that sends mail, a browser with an address of its own, and its way to an OpenID provider and back."""

import html
import itertools
import re
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address
from urllib.parse import urlsplit

import httpx
import pytest
from allauth.socialaccount.models import SocialAccount
from django.core.mail import EmailMessage
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from tenants.accounts.addresses import vouch_for
from tenants.accounts.models import Tenant, User
from tenants.audit.models import AuditEntry
from tenants.authentication.sign_on.configured import SignOnProvider
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.open_id_provider import CLIENT_ID, SECRET, OpenIdProvider, running_provider

OWN_SERVICE = "http://127.0.0.1:8000"
_numbers = itertools.count()


@pytest.fixture(autouse=True)
def _mailing(settings: Settings) -> None:
    settings.MAAS_EMAIL_URL = "smtp://mail.example"


@pytest.fixture
def stranger() -> Client:
    return Client(REMOTE_ADDR=str(IPv4Address("10.64.0.1") + next(_numbers)))


@pytest.fixture
def email() -> str:
    return f"{unique('person')}@example.com"


def link_in(mail: EmailMessage) -> str:
    """Return the path of the link, since tests use another host."""
    found = re.search(r"https?://\S+/(?:confirm-email|password/new|invitations)/\S+", str(mail.body))
    assert found is not None, mail.body
    return urlsplit(found[0]).path


@pytest.fixture
def provider(settings: Settings) -> Iterator[OpenIdProvider]:
    with running_provider() as provider:
        settings.MAAS_PUBLIC_URL = OWN_SERVICE
        settings.MAAS_SIGN_ON = (SignOnProvider("company", "Company", CLIENT_ID, SECRET, url=provider.url),)
        yield provider


@pytest.fixture
def connected(provider: OpenIdProvider, tenant: CreatedTenant) -> User:
    """Return an owner who has connected the provider."""
    provider.be(tenant.owner.email)
    account = SocialAccount(user=tenant.owner, provider="company", uid=provider.person["sub"])
    with operator_work():
        account.save()
    tenant.owner.set_password("correct horse")
    with operator_work():
        tenant.owner.save()
        vouch_for(tenant.owner)
    return tenant.owner


def away(client: Client, path: str = "/sign-in/with/company", **form: str) -> str:
    """Return where the page leads that sends people to the provider."""
    answer = client.post(path, form)
    assert answer.status_code == 200, answer.content
    found = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', answer.content.decode())
    assert found is not None
    return html.unescape(found[1])


def back(client: Client, authorize: str, change: Callable[[str], str] = str) -> HttpResponse:
    """Follow the redirects as the browser does: to the provider, and from there to where the provider sends it."""
    sent = httpx.get(authorize, verify=False).headers["Location"]
    assert sent.startswith(f"{OWN_SERVICE}/sign-in/with/company/back?")
    return client.get(change(sent).removeprefix(OWN_SERVICE))  # type: ignore[return-value]


def signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def actions(tenant: Tenant) -> list[str]:
    with operator_work():
        found = AuditEntry.objects.filter(tenant=tenant, action__startswith="sign_on.").order_by("id")
        return list(found.values_list("action", flat=True))
