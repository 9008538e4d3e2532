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
_ADD = """
local at, failed = 3, false
for i, key in ipairs(KEYS) do
  local last = at + tonumber(ARGV[at])
  local pushed = redis.pcall('LPUSH', key, unpack(ARGV, at + 1, last))
  if type(pushed) == 'table' and pushed.err then failed = pushed end
  redis.pcall('LTRIM', key, 0, ARGV[1] - 1)
  redis.pcall('EXPIRE', key, ARGV[2])
  at = last + 1
end
return failed
"""
"""One command for the entries of many tenants, because each command takes the client longer than Redis."""
AT_ONCE = 100
"""The most tenants in one command, which blocks Redis while it runs."""


class LogUnavailable(Exception):
    """The cache Redis does not respond. There is nothing to show, and nothing else is wrong."""


def tenant_key(tenant_id: UUID) -> str:
    return f"journal:{tenant_id}"


def add_to(pipeline: Any, entries: Mapping[UUID, Sequence[str]], minutes: Mapping[int, MinuteCounts]) -> None:
    """Add the entries and counts to a pipeline of either kind of client. The owner of the pipeline sends it."""
    by_tenant = [(tenant_key(tenant_id), texts[-KEPT:]) for tenant_id, texts in entries.items() if texts]
    for start in range(0, len(by_tenant), AT_ONCE):
        part = by_tenant[start : start + AT_ONCE]
        args = [str(KEPT), str(KEPT_FOR_S)]
        for _key, texts in part:
            args += (str(len(texts)), *texts)
        pipeline.eval(_ADD, len(part), *[key for key, _texts in part], *args)
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
