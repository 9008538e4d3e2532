"""What tests ask for by name: RabbitMQ, Chromium, a running stack; the database is always there.

Tests commit for real and nothing is rolled back or flushed between them: each makes a tenant of its own.
"""

import os
import socket
from collections.abc import Iterator
from typing import Any, NoReturn
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connections
from django.test import Client
from playwright.sync_api import Browser, sync_playwright
from pytest_django import DjangoDbBlocker

from maas.local.supervisor.ports import free_port
from tenants.core.db.unit_of_work import account_work
from tests.chromium import FLAGS, NAMED, chromium_program
from tests.live_stack import LiveStack, RunningStack

pytest_plugins = ["tests.fixtures"]


def _missing(what: str) -> NoReturn:
    """Skip on a developer's machine; fail where everything has to be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI=true, and there is no {what}")
    pytest.skip(f"no {what}")


@pytest.fixture(scope="session")
def django_db_setup() -> None:
    """The database of this process is migrated already; pytest-django must not make another."""


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> Iterator[None]:
    """Half a second of computing for each tenant would be a third of a run; a product has its own hasher."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PBKDF2PasswordHasher, "iterations", 1)
        yield


@pytest.fixture(scope="session", autouse=True)
def _signed_in_as_pages_do() -> Iterator[None]:
    """Django's test client signs people in past every page, and with that past the database role of those pages."""
    sign_in = Client._login  # type: ignore[attr-defined]  # unknown to the stubs

    def signed_in(self: Client, *args: Any, **named: Any) -> None:
        with account_work():
            sign_in(self, *args, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "_login", signed_in)
        yield


@pytest.fixture(scope="session", autouse=True)
def _real_transactions(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield
        connections.close_all()


@pytest.fixture(scope="session")
def amqp_url() -> str:
    """A RabbitMQ shared with other runs: use queue names of your own, and delete them."""
    url = os.environ.get("MAAS_TEST_AMQP_URL") or "amqp://guest:guest@127.0.0.1:5672/%2F"
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 5672), timeout=5).close()
    except OSError:
        _missing("RabbitMQ (MAAS_TEST_AMQP_URL, or one on 127.0.0.1:5672)")
    return url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For a module at most: playwright's loop stays in this thread, and no other may run beside it."""
    program = chromium_program()
    if program is None:
        _missing(NAMED)
    # Playwright runs an event loop in this thread, which Django takes for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def live_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """The product as `make up` runs it, ready; shared by every test that asks for it."""
    variables = {"MAAS_GRPC_PORT": str(free_port())}
    with LiveStack(tmp_path_factory.mktemp("live") / "var", variables=variables) as stack:
        yield stack.wait_until_ready()
