"""Web processes that the tests of a folder share."""

from collections.abc import Iterator

import pytest

from tests.maas.granian_server import GranianServer


@pytest.fixture(scope="session")
def telling_server() -> Iterator[GranianServer]:
    with GranianServer("tests.maas.mount_app:application") as server:
        yield server


@pytest.fixture(scope="session")
def web_server() -> Iterator[GranianServer]:
    with GranianServer("maas.asgi:application") as server:
        yield server
