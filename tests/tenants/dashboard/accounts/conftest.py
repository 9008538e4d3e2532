"""A service that sends mail, and a browser at an address of its own, since tries are counted by address."""

import itertools
import re
from collections.abc import Iterator
from ipaddress import IPv4Address
from urllib.parse import urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core.mail import EmailMessage
from django.test import Client
from pytest_django import Settings

from tenants.accounts.addresses import vouch_for
from tenants.accounts.models import User
from tenants.authentication.sign_on.configured import SignOnProvider
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.open_id_provider import CLIENT_ID, SECRET, OpenIdProvider, running_provider
from tests.tenants.dashboard.accounts.signing_on import OWN_SERVICE

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
