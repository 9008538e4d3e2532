"""A service that sends mail, and a browser at an address of its own, since tries are counted by address."""

import itertools
import re
from ipaddress import IPv4Address
from urllib.parse import urlsplit

import pytest
from django.core.mail import EmailMessage
from django.test import Client
from pytest_django import Settings

from tests.fixtures import unique

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
    """Its path: tests have an address of their own."""
    found = re.search(r"https?://\S+/(?:confirm-email|password/new|invitations)/\S+", str(mail.body))
    assert found is not None, mail.body
    return urlsplit(found[0]).path
