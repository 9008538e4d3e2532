"""The last decision on each pool, as the leading scheduler publishes it and any process reads it."""

import json
from functools import cache
from typing import Any

import redis
from django.conf import settings

from inference.core.prompt_redis import prompt_redis, single_try
from tenants.core.errors import DomainError, NotFound

KEY = "maas:scaling"
FRESH_S = 15
"""Seconds after which a decision is not given out any more. A cluster then falls back to a number of its own."""
Json = dict[str, Any]


class ScalingUnavailable(DomainError):
    """The error if nothing is known of the pools: no scheduler leads, or the durable Redis does not answer."""

    code = "scaling_unavailable"
    gate = "scheduler"


@cache
def _connection() -> "redis.Redis":
    return single_try(settings.MAAS_REDIS_URL)


def publish(pools: list[Json]) -> None:
    """Publish the decisions. Raises `redis.RedisError`."""
    _connection().set(KEY, json.dumps(pools), ex=FRESH_S)


def published() -> list[Json]:
    try:
        found: bytes | None = prompt_redis(settings.MAAS_REDIS_URL).ask(lambda client: client.get(KEY))  # type: ignore[assignment]
    except redis.RedisError as error:
        raise ScalingUnavailable("The durable Redis does not answer, so the pools are unknown.") from error
    if found is None:
        raise ScalingUnavailable("No scheduler has decided within the last seconds. Is one running?")
    pools: list[Json] = json.loads(found)
    return pools


def published_pool(name: str) -> Json:
    for pool in published():
        if pool["pool"] == name:
            return pool
    raise NotFound(f"There is no pool {name[:50]!r}.")
