"""Fixtures for all tests: RabbitMQ, Chromium, a running stack. The database is always there.

Tests commit for real, and nothing is rolled back or flushed between them. Each test creates its own tenant.
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
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright
from pytest_django import DjangoDbBlocker

from maas.local.supervisor.ports import free_port
from tenants.core.db.unit_of_work import account_work
from tests.chromium import FLAGS, NAMED, chromium_program
from tests.live_stack import LiveStack, RunningStack

pytest_plugins = ["tests.fixtures"]
# An example may take as long as the machine needs. How fast something is, is measured elsewhere.
settings.register_profile("any_machine", settings(), deadline=None)
settings.load_profile("any_machine")


def _missing(what: str) -> NoReturn:
    """Skip on a developer's machine, or fail in CI, where everything must be installed."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI=true, and there is no {what}")
    pytest.skip(f"no {what}")


@pytest.fixture(scope="session")
def django_db_setup() -> None:
    """Do nothing: the database of this process is migrated already, and pytest-django must not create another."""


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> Iterator[None]:
    """Hash passwords quickly. Half a second per tenant would be a third of a run. A running product has its own
    hasher.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PBKDF2PasswordHasher, "iterations", 1)
        yield


@pytest.fixture(scope="session", autouse=True)
def _signed_in_as_pages_do() -> Iterator[None]:
    """Sign in with the database role of the sign-in pages, which Django's test client bypasses."""
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
    """Return the URL of a RabbitMQ that other runs share. Use queue names of your own, and delete them."""
    url = os.environ.get("MAAS_TEST_AMQP_URL") or "amqp://guest:guest@127.0.0.1:5672/%2F"
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 5672), timeout=5).close()
    except OSError:
        _missing("RabbitMQ (MAAS_TEST_AMQP_URL, or one on 127.0.0.1:5672)")
    return url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Yield a browser for a module at most: playwright's loop stays in this thread, and no other loop may run beside
    it.
    """
    program = chromium_program()
    if program is None:
        _missing(NAMED)
    # Playwright runs an event loop in this thread, which Django mistakes for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def live_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """Yield the product as `make up` runs it, ready. Every test that uses it shares it."""
    variables = {"MAAS_GRPC_PORT": str(free_port())}
    with LiveStack(tmp_path_factory.mktemp("live") / "var", variables=variables) as stack:
        yield stack.wait_until_ready()
