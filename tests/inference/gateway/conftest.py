"""Provide a model that is served in this process, and requests to it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from django.conf import settings

from inference.registry.models import ModelVersion
from inference.rpc import LaneReader
from tests.inference.gateway.house import Embedder
from tests.inference.rpc.mortal import MortalRedis

TIMEOUT_S = 30.0


@pytest.fixture
def embedder() -> Embedder:
    return Embedder()


@pytest.fixture
def model(make_version: Callable[..., ModelVersion], embedder: Embedder) -> Iterator[str]:
    """Return the name of an embedding model that costs 10 micro-units a token, and 1 for a cache hit."""
    yield from _served(make_version(meter="token", price_micros=10, cache_ttl_s=1_000), embedder)


@pytest.fixture
def timed_model(make_version: Callable[..., ModelVersion], embedder: Embedder) -> Iterator[str]:
    """Return the name of an embedding model that costs 10 micro-units a millisecond."""
    yield from _served(make_version(meter="gpu_second", price_micros=10, cache_ttl_s=1_000), embedder)


def _served(version: ModelVersion, embedder: Embedder) -> Iterator[str]:
    with ExitStack() as stack:
        reader = LaneReader(settings.MAAS_REDIS_URL, embedder.serve, slots=256)
        reader.set_lanes([version.key])
        reader.start()
        stack.callback(reader.stop, 0.2)
        stack.callback(embedder.gate.set)
        assert reader.reading.wait(TIMEOUT_S)
        yield version.served_model.name


@pytest.fixture
def cache_url() -> str:
    return str(settings.MAAS_CACHE_URL)


@pytest.fixture
def mortal() -> Iterator[MortalRedis]:
    server = MortalRedis()
    yield server
    server.thaw()
    server.kill()
