"""The figures of the last day and hour: jobs, failures, pages by minute, and requests in the cache Redis by minute."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import redis
from django.db import connections
from django.utils import timezone

from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import OPERATOR
from tenants.core.ids import first_id_at
from tenants.core.redis.cache import cache_redis
from tenants.request_log.minutes import minute_key

DAY = timedelta(hours=24)
HOUR = timedelta(hours=1)
SHOWN = 10

_JOBS = "SELECT tenant_id, state, count(*) FROM jobs_job WHERE id >= %s GROUP BY tenant_id, state"

_FAILURES = """
SELECT error_code, count(*) FROM jobs_page WHERE state = 'failed' AND finished_at >= %s
GROUP BY error_code ORDER BY count(*) DESC, error_code
"""

_PAGES = """
SELECT floor(extract(epoch FROM finished_at) / 60)::bigint * 60, count(*) FILTER (WHERE state = 'succeeded'),
       count(*) FILTER (WHERE state = 'failed')
FROM jobs_page WHERE finished_at >= %s GROUP BY 1
"""


@dataclass(frozen=True)
class TenantCount:
    tenant_id: UUID
    name: str
    count: int


@dataclass(frozen=True)
class JobsOfDay:
    by_state: dict[str, int]
    by_tenant: list[TenantCount]
    tenants: int

    @property
    def total(self) -> int:
        return sum(self.by_state.values())


@dataclass(frozen=True)
class PagesOfMinute:
    succeeded: int
    failed: int


def since(field: str) -> dict[str, str]:
    start = timezone.now() - DAY
    return {f"{field}_from_0": f"{start:%Y-%m-%d}", f"{field}_from_1": f"{start:%H:%M:%S}"}


def jobs_of_day() -> JobsOfDay:
    states: Counter[str] = Counter()
    tenants: Counter[UUID] = Counter()
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_JOBS, [first_id_at(timezone.now() - DAY)])
        for tenant_id, state, count in cursor.fetchall():
            states[state] += count
            tenants[tenant_id] += count
    return JobsOfDay(dict(states.most_common()), _named(tenants.most_common(SHOWN)), len(tenants))


def failures_of_day() -> dict[str, int]:
    """Return the number of pages by the code of their failure, the most frequent first."""
    return {row[0]: row[1] for row in _rows(_FAILURES, timezone.now() - DAY)}


def pages_of_hour() -> dict[int, PagesOfMinute]:
    """Return the pages of the last hour by the start of the minute, in seconds since the epoch."""
    return {row[0]: PagesOfMinute(row[1], row[2]) for row in _rows(_PAGES, timezone.now() - HOUR)}


def _rows(statement: str, since: datetime) -> list[tuple[Any, ...]]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(statement, [since])
        return list(cursor.fetchall())


def _named(counts: list[tuple[UUID, int]]) -> list[TenantCount]:
    names = {tenant.id: tenant.name for tenant in Tenant.objects.filter(id__in=[tenant_id for tenant_id, _ in counts])}
    return [TenantCount(tenant_id, names.get(tenant_id, "?"), count) for tenant_id, count in counts]


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
    """Return the number of requests by the first second of each minute. Minutes without requests are left out. Return
    None if the cache does not respond.
    """
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
