"""The request log in the cache Redis: a short list by tenant and a hash by minute. It may be lost at any time."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import redis

from tenants.core.redis.cache import cache_redis
from tenants.request_log.entries import LogEntry
from tenants.request_log.minutes import COUNTED_FOR_S, MinuteCounts, minute_key

KEPT = 500
KEPT_FOR_S = 24 * 3600


class LogUnavailable(Exception):
    """The cache Redis does not respond. There is nothing to show, and nothing else is wrong."""


def tenant_key(tenant_id: UUID) -> str:
    return f"journal:{tenant_id}"


def add_to(pipeline: Any, entries: Mapping[UUID, Sequence[str]], minutes: Mapping[int, MinuteCounts]) -> None:
    """Add the entries and counts to a pipeline of either kind of client. The owner of the pipeline sends it."""
    for tenant_id, texts in entries.items():
        key = tenant_key(tenant_id)
        pipeline.lpush(key, *texts)
        pipeline.ltrim(key, 0, KEPT - 1)
        pipeline.expire(key, KEPT_FOR_S)
    for minute, counts in minutes.items():
        key = minute_key(minute)
        for name, number in counts.fields.items():
            pipeline.hincrby(key, name, number)
        pipeline.expire(key, COUNTED_FOR_S)


def recent_requests(tenant_id: UUID) -> list[LogEntry]:
    """Return the entries, newest first. An entry that was sent twice is returned once."""
    try:
        texts: Any = cache_redis().lrange(tenant_key(tenant_id), 0, KEPT - 1)
    except redis.RedisError as error:
        raise LogUnavailable(str(error)) from error
    entries = (LogEntry.from_text(text) for text in texts)
    by_name = {entry.id: entry for entry in entries if entry}
    return sorted(by_name.values(), key=lambda entry: entry.at, reverse=True)
