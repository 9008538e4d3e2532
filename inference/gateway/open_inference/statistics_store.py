"""Store the statistics of all web processes together. They are in the Redis that may lose data, because no bill depends
on them.
"""

from collections.abc import Mapping
from functools import cache
from operator import attrgetter
from typing import Any

import redis
from django.conf import settings

from inference.gateway.open_inference.statistics import NAMES, CallCounts

PREFIX = "maas:open-inference:"
KEPT_S = 30 * 24 * 3600
"""The retention after the tenant's last call."""

_ADD = """
local names, failed = {%s}, false
for i, key in ipairs(KEYS) do
  local at = 2 + (i - 1) * (#names + 1)
  for n, name in ipairs(names) do
    local more, field = ARGV[at + n], ARGV[at] .. '|' .. name
    local added = false
    if name == 'last_ms' then
      added = redis.pcall('HSET', key, field, more)
    elseif more ~= '0' then
      added = redis.pcall('HINCRBY', key, field, more)
    end
    if type(added) == 'table' and added.err then failed = added end
  end
  redis.pcall('EXPIRE', key, ARGV[1])
end
return failed
""" % ", ".join(f"'{name}'" for name in NAMES)  # noqa: UP031  # braces are Lua's
"""One command for the counts of many tenants, because each command takes the client longer than Redis."""
AT_ONCE = 100
"""The most counts in one command, which blocks Redis while it runs."""

Grown = Mapping[tuple[str, str], CallCounts]
"""The new counts by tenant and model version."""


@cache
def _connection() -> "redis.Redis":
    return redis.Redis.from_url(settings.MAAS_CACHE_URL, socket_timeout=1, socket_connect_timeout=1)


def add_counts(grown: Grown) -> None:
    """Add counts to the stored ones. Raises `redis.RedisError`."""
    with _connection().pipeline(transaction=False) as pipeline:
        counted = list(grown.items())
        for start in range(0, len(counted), AT_ONCE):
            part = counted[start : start + AT_ONCE]
            args = [str(KEPT_S)]
            for (_tenant, key), counts in part:
                args += (key, *map(str, attrgetter(*NAMES)(counts)))
            pipeline.eval(_ADD, len(part), *[PREFIX + tenant for (tenant, _key), _counts in part], *args)
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
