"""Tests of Django's cache while its Redis hangs: a connection is accepted, and nothing is ever answered."""

import socket
import time
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

LONGEST_S = 4.0


@pytest.fixture
def silent() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


def test_whoever_asks_a_hanging_cache_is_soon_told_that_it_is_away(silent: str) -> None:
    cache = RedisCache(silent, dict(settings.CACHES["default"]))
    began = time.monotonic()
    with pytest.raises(RedisError):
        cache.get("anything")
    assert time.monotonic() - began < LONGEST_S
