"""This process's connections to the cache Redis, for data that may be lost and must never be waited for."""

from functools import cache

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

TIMEOUT_S = 1.0


@cache
def cache_redis() -> "redis.Redis":
    return redis.Redis.from_url(
        settings.MAAS_CACHE_URL,
        socket_timeout=TIMEOUT_S,
        socket_connect_timeout=TIMEOUT_S,
        retry=Retry(NoBackoff(), 1),
    )
