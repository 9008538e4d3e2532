"""Fixtures: a web process whose views return what reached them, an operator, and work to operate on."""

from collections.abc import Iterator

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from inference.registry.models import ModelVersion
from tenants.accounts.models import User
from tenants.accounts.services import create_operator
from tenants.admin_base.records import OperatorAdmin
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.jobs.conftest import Desk
from tests.maas.granian_server import GranianServer
from tests.maas.web_processes import telling_server
from tests.stand_in_stripe import SECRET_KEY, WEBHOOK_SECRET

__all__ = ["telling_server"]


@pytest.fixture(scope="session")
def two_webs() -> Iterator[tuple[GranianServer, GranianServer]]:
    """Two web processes with the usual settings, for tests whose tenants are their own."""
    with GranianServer("maas.asgi:application") as one, GranianServer("maas.asgi:application") as two:
        yield one, two


@pytest.fixture(scope="session")
def proxied_web() -> Iterator[GranianServer]:
    """Yield a web process that stands behind one proxy, and that receives events of a payment provider."""
    variables = {
        "MAAS_PROXIES": "1",
        "MAAS_STRIPE_SECRET_KEY": SECRET_KEY,
        "MAAS_STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
    }
    with GranianServer("maas.asgi:application", variables) as server:
        yield server


def logged(pk: object) -> str:
    """Return the last entry of the audit log about a row."""
    with operator_work():
        return LogEntry.objects.filter(object_id=str(pk)).latest("id").get_change_message()


@pytest.fixture(scope="module")
def person() -> User:
    return create_operator(email=f"{unique('operator')}@example.com", password="correct horse")


@pytest.fixture
def operator(client: Client, person: User, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Return an operator whose lists draw no more than ten rows of what all earlier tests have left."""
    monkeypatch.setattr(OperatorAdmin, "list_per_page", 10)
    client.force_login(person)
    return client


@pytest.fixture
def desk(identity: Identity, version: ModelVersion) -> Desk:
    return Desk(identity, version)
