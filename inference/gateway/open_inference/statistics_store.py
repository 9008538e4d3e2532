"""Store the statistics of all web processes together. They are in the Redis that may lose data, because no bill depends
on them.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import redis
from django.conf import settings

from inference.gateway.open_inference.statistics import NAMES, CallCounts

PREFIX = "maas:open-inference:"
KEPT_S = 30 * 24 * 3600
"""The retention after the tenant's last call."""

Grown = Mapping[tuple[str, str], CallCounts]
"""The new counts by tenant and model version."""


@cache
def _connection() -> "redis.Redis":
    return redis.Redis.from_url(settings.MAAS_CACHE_URL, socket_timeout=1, socket_connect_timeout=1)


def add_counts(grown: Grown) -> None:
    """Add counts to the stored ones. Raises `redis.RedisError`."""
    with _connection().pipeline(transaction=False) as pipeline:
        for (tenant, key), counts in grown.items():
            for name in NAMES:
                if name == "last_ms":
                    pipeline.hset(PREFIX + tenant, f"{key}|{name}", counts.last_ms)
                elif more := getattr(counts, name):
                    pipeline.hincrby(PREFIX + tenant, f"{key}|{name}", more)
        for tenant in {tenant for tenant, _key in grown}:
            pipeline.expire(PREFIX + tenant, KEPT_S)
        pipeline.execute()


def counts_of(tenant: str) -> dict[str, CallCounts]:
    """Return the tenant's counts by model version. Raises `redis.RedisError`."""
    found: Any = _connection().hgetall(PREFIX + tenant)
    by_key: dict[str, dict[str, int]] = {}
    for field, value in found.items():
        key, _, name = field.decode().rpartition("|")
        if name in NAMES:
            by_key.setdefault(key, {})[name] = int(value)
    return {key: CallCounts(**counts) for key, counts in by_key.items()}
