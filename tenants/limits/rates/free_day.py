"""Bound what the test keys of an account may do in a day, because it is free. The count is kept in the durable Redis
until midnight UTC.

If Redis is unavailable no request is refused, as with every limit.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Literal
from uuid import UUID

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from tenants.core.errors import DomainError
from tenants.limits.rates.metrics import REFUSED

Kind = Literal["pages", "calls"]
_SETTINGS: Mapping[Kind, str] = {"pages": "MAAS_TEST_PAGES_A_DAY", "calls": "MAAS_TEST_CALLS_A_DAY"}
TIMEOUT_S = 0.2
LEFT_ALONE_S = 1.0
DAY_S = 24 * 3600
KEPT_FOR_S = 2 * DAY_S


class AllowanceSpent(DomainError):
    code = "test_allowance_spent"
    gate = "test_allowance"


_UNITS: Mapping[Kind, str] = {
    "pages": "pages",
    "calls": "calls (each text of a list, each row of a tensor counts)",
}


@dataclass(frozen=True)
class Left:
    kind: Kind
    most: int
    left: int | None
    """The number that is left, or None if it is not known."""
    resets_in_s: int


class FreeDay:
    def __init__(self, url: str) -> None:
        self._client = redis.Redis.from_url(
            url,
            socket_timeout=TIMEOUT_S,
            socket_connect_timeout=TIMEOUT_S,
            # There is no retry, because a request that Redis carried out but answered late would be counted twice.
            retry=Retry(NoBackoff(), 0),
        )
        self._away_until_s = float("-inf")

    def spend(self, tenant_id: UUID, kind: Kind, count: int, now: datetime | None = None) -> None:
        """Count this use. Raises AllowanceSpent, in which case nothing is counted."""
        most: int = getattr(settings, _SETTINGS[kind])
        now = now or datetime.now(UTC)
        if most and count and self._add(tenant_id, kind, count, now) > most:
            self._add(tenant_id, kind, -count, now)
            REFUSED.labels("tenant", f"test_{kind}").inc()
            raise _spent(kind, most, now)

    def require_some(self, tenant_id: UUID, kind: Kind, now: datetime | None = None) -> None:
        """Raise AllowanceSpent if nothing is left. This counts nothing."""
        most: int = getattr(settings, _SETTINGS[kind])
        now = now or datetime.now(UTC)
        if most and (self._used(tenant_id, kind, now) or 0) >= most:
            REFUSED.labels("tenant", f"test_{kind}").inc()
            raise _spent(kind, most, now)

    def left(self, tenant_id: UUID, now: datetime | None = None) -> list[Left]:
        """Return what is left of each allowance that is limited."""
        now = now or datetime.now(UTC)
        told = []
        for kind, name in _SETTINGS.items():
            most: int = getattr(settings, name)
            if most:
                used = self._used(tenant_id, kind, now)
                told.append(Left(kind, most, None if used is None else max(0, most - used), _until_midnight_s(now)))
        return told

    def _used(self, tenant_id: UUID, kind: Kind, now: datetime) -> int | None:
        if time.monotonic() < self._away_until_s:
            return None
        try:
            return int(self._client.get(_key(tenant_id, kind, now)) or 0)
        except RedisError:
            self._away_until_s = time.monotonic() + LEFT_ALONE_S
            return None

    def give_back(self, tenant_id: UUID, kind: Kind, count: int, now: datetime | None = None) -> None:
        if getattr(settings, _SETTINGS[kind]):
            self._add(tenant_id, kind, -count, now or datetime.now(UTC))

    def _add(self, tenant_id: UUID, kind: Kind, count: int, now: datetime) -> int:
        """Add to the count and return it, or return 0 if it is not known."""
        if time.monotonic() < self._away_until_s:
            return 0
        key = _key(tenant_id, kind, now)
        try:
            with self._client.pipeline(transaction=True) as pipeline:
                pipeline.incrby(key, count)
                pipeline.expire(key, KEPT_FOR_S)
                return int(pipeline.execute()[0])
        except RedisError:
            self._away_until_s = time.monotonic() + LEFT_ALONE_S
            return 0


@cache
def free_day() -> FreeDay:
    """Return the allowances of this process."""
    return FreeDay(settings.MAAS_REDIS_URL)


def _key(tenant_id: UUID, kind: Kind, now: datetime) -> str:
    return f"maas:test:{kind}:{tenant_id}:{now:%Y%m%d}"


def _until_midnight_s(now: datetime) -> int:
    midnight = datetime.combine(now.date(), datetime.min.time(), UTC) + timedelta(days=1)
    return max(1, -int((now - midnight).total_seconds() // 1))


def _spent(kind: Kind, most: int, now: datetime) -> AllowanceSpent:
    pause_s = _until_midnight_s(now)
    return AllowanceSpent(
        f"Test keys of this account may do {most:,} {_UNITS[kind]} a day, and too few are left for this. Use a live"
        f" key, or send this again after midnight UTC, in {pause_s:,} s.",
        extra={
            "retry_after_s": pause_s,
            "limit": {"scope": "tenant", "name": f"test_{kind}", "amount": most, "window_s": DAY_S},
        },
    )
