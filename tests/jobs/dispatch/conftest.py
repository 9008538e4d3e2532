"""Servers that are there and do not answer."""

from collections.abc import Iterator

import pytest

from jobs.dispatch.broker import broker_server, publishing_broker
from tests.inference.brokers.servers import hanging_server


@pytest.fixture
def hanging_broker(settings: object) -> Iterator[None]:
    with hanging_server() as address:
        settings.MAAS_BROKER_URL = f"redis://{address}/0"  # type: ignore[attr-defined]
        publishing_broker.cache_clear()
        yield
    publishing_broker.cache_clear()
    broker_server.cache_clear()


@pytest.fixture
def hanging_redis(settings: object) -> Iterator[None]:
    with hanging_server() as address:
        settings.MAAS_REDIS_URL = f"redis://{address}/0"  # type: ignore[attr-defined]
        yield
