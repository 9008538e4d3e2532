"""A web process whose views tell what reached them; an operator, and work to operate on."""

from collections.abc import Iterator

import pytest
from django.test import Client

from inference.registry.models import ModelVersion
from tenants.identity import Identity
from tenants.models import User
from tenants.services import create_operator
from tests.fixtures import unique
from tests.jobs.conftest import Desk
from tests.maas.granian_server import GranianServer


@pytest.fixture(scope="session")
def telling_server() -> Iterator[GranianServer]:
    with GranianServer("tests.maas.mount_app:application") as server:
        yield server


@pytest.fixture(scope="module")
def person() -> User:
    return create_operator(email=f"{unique('operator')}@example.com", password="correct horse")


@pytest.fixture
def operator(client: Client, person: User) -> Client:
    client.force_login(person)
    return client


@pytest.fixture
def desk(identity: Identity, version: ModelVersion) -> Desk:
    return Desk(identity, version)
