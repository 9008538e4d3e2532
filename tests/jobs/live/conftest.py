"""The product's own web process."""

from collections.abc import Iterator

import pytest

from tests.maas.conftest import telling_server
from tests.maas.granian_server import GranianServer

__all__ = ["telling_server", "web_server"]


@pytest.fixture(scope="session")
def web_server() -> Iterator[GranianServer]:
    with GranianServer("maas.asgi:application") as server:
        yield server
