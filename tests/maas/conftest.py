"""A web process whose views tell what reached them."""

from collections.abc import Iterator

import pytest

from tests.maas.granian_server import GranianServer


@pytest.fixture(scope="session")
def telling_server() -> Iterator[GranianServer]:
    with GranianServer("tests.maas.mount_app:application") as server:
        yield server
