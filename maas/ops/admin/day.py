"""The figures of the last day and hour: jobs by tenant and state, failures by code, pages by minute."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connections
from django.utils import timezone

from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import OPERATOR
from tenants.core.ids import first_id_at

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
    names = {one.id: one.name for one in Tenant.objects.filter(id__in=[tenant_id for tenant_id, _ in counts])}
    return [TenantCount(tenant_id, names.get(tenant_id, "?"), count) for tenant_id, count in counts]
