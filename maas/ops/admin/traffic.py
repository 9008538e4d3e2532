"""Requests by minute and status, as every web process counts them in the cache Redis."""

from dataclasses import dataclass
from typing import Any

import redis

from tenants.core.redis.cache import cache_redis
from tenants.request_log.minutes import minute_key


@dataclass(frozen=True)
class RequestsOfMinute:
    succeeded: int = 0
    refused: int = 0
    limited: int = 0
    failed: int = 0
    count: int = 0
    ms_total: int = 0
    hits: int = 0
    shared: int = 0
    """The calls that shared a run that was in progress for another call."""
    misses: int = 0

    @property
    def mean_ms(self) -> float | None:
        return self.ms_total / self.count if self.count else None


def requests_by_minute(minutes: list[int]) -> dict[int, RequestsOfMinute] | None:
    """Return the requests by the minute's first second, if there were any, or None if the cache does not respond."""
    try:
        pipe = cache_redis().pipeline(transaction=False)
        for minute in minutes:
            pipe.hgetall(minute_key(minute // 60))
        found = pipe.execute()
    except redis.RedisError:
        return None
    return {minute: _read(fields) for minute, fields in zip(minutes, found, strict=True) if fields}


@dataclass(frozen=True)
class CacheRedis:
    used_bytes: int
    evicted: int
    """The number of keys that Redis has evicted for lack of memory since it was started."""


def cache_redis_now() -> CacheRedis | None:
    try:
        found: Any = cache_redis().info()
    except redis.RedisError:
        return None
    return CacheRedis(int(found.get("used_memory", 0)), int(found.get("evicted_keys", 0)))


def _read(fields: dict[bytes, bytes]) -> RequestsOfMinute:
    def number(name: str) -> int:
        try:
            return int(float(fields.get(name.encode(), b"0")))
        except ValueError:
            return 0

    limited = number("429")
    return RequestsOfMinute(
        succeeded=number("2xx"),
        refused=max(0, number("4xx") - limited),
        limited=limited,
        failed=number("5xx"),
        count=number("count"),
        ms_total=number("ms_total"),
        hits=number("cache:HIT"),
        shared=number("cache:COALESCED"),
        misses=number("cache:MISS"),
    )
