"""Erases a tenant's oldest events in stream order and records how far, so that readers from before get an error."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connections

from jobs.core.metrics import ERASED, OVERDUE_S
from jobs.core.models import ErasedReason
from jobs.retention.due import Counted
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.progress import SILENT, Progress
from tenants.plans.retention import Retention, retention_of_all

BATCH = 1_000
ROUND_S = 20.0

_WHOSE = """
SELECT line.tenant, line.days, extract(epoch FROM statement_timestamp() - first.created_at)::float - line.days * 86400
FROM unnest(%(tenants)s::uuid[], %(days)s::int[]) AS line (tenant, days) CROSS JOIN LATERAL (
    SELECT created_at FROM jobs_event
    WHERE tenant_id = line.tenant AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid, id LIMIT 1
) first
WHERE first.created_at <= statement_timestamp() - make_interval(days => line.days)
"""

# This erases events up to the first that is to be kept. The rows and the position change in one statement, so that no
# reader sees one without the other.
_ERASE = """
WITH oldest AS (
    SELECT xid, id, created_at FROM jobs_event
    WHERE tenant_id = %(tenant)s AND xid < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY xid, id LIMIT %(most)s
), old AS (
    SELECT xid, id FROM (
        SELECT xid, id, bool_and(created_at <= statement_timestamp() - make_interval(days => %(days)s))
            OVER (ORDER BY xid, id) AS is_old
        FROM oldest
    ) checked_at WHERE is_old
), gone AS (
    DELETE FROM jobs_event WHERE tenant_id = %(tenant)s AND id IN (SELECT id FROM old) RETURNING id
), place AS (
    INSERT INTO jobs_eventhorizon AS known (tenant_id, xid, event_id)
    SELECT %(tenant)s, xid, id FROM old ORDER BY xid DESC, id DESC LIMIT 1
    ON CONFLICT (tenant_id) DO UPDATE SET xid = EXCLUDED.xid, event_id = EXCLUDED.event_id
    WHERE (EXCLUDED.xid, EXCLUDED.event_id) > (known.xid, known.event_id)
)
SELECT count(*) FROM gone
"""
_COUNT = """
SELECT line.tenant, count(*), min(created_at), max(created_at)
FROM unnest(%(tenants)s::uuid[], %(days)s::int[]) AS line (tenant, days)
JOIN jobs_event event ON event.tenant_id = line.tenant
    AND event.created_at <= statement_timestamp() - make_interval(days => line.days)
GROUP BY line.tenant
"""


@dataclass(frozen=True)
class OldEvents:
    tenant_id: UUID
    days: int
    overdue_s: float


def erase_old_events(progress: Progress = SILENT) -> int:
    """Erase old events and return their number: a batch of each tenant in turn, the longest log waits most."""
    until_s = time.monotonic() + ROUND_S
    erased = 0
    with operator_work():
        retention = retention_of_all()
        found = _whose(retention)
        while found and time.monotonic() < until_s:
            gone = sum(_erase_some(old) for old in found)
            erased += gone
            progress.within(f"erased {erased:,} events")
            if not gone:
                break
            found = _whose({old.tenant_id: retention[old.tenant_id] for old in found})
    OVERDUE_S.labels(kind="event").set(max((old.overdue_s for old in found), default=0.0))
    return erased


def _erase_some(old: OldEvents) -> int:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_ERASE, {"tenant": old.tenant_id, "days": old.days, "most": BATCH})
        number = int(cursor.fetchone()[0])
    ERASED.labels(kind="event", reason=ErasedReason.RETENTION.value).inc(number)
    return number


def counted_events(retention: Mapping[UUID, Retention]) -> list[Counted]:
    """Count all events whose time is over, for a preview."""
    return [Counted(*row) for row in _asked(_COUNT, retention)]


def _whose(retention: Mapping[UUID, Retention]) -> list[OldEvents]:
    return [OldEvents(*row) for row in _asked(_WHOSE, retention)]


def _asked(statement: str, retention: Mapping[UUID, Retention]) -> list[Any]:
    lines = [(tenant_id, its.events_days) for tenant_id, its in retention.items() if its.events_days]
    if not lines:
        return []
    values: dict[str, Any] = {"tenants": [tenant for tenant, _ in lines], "days": [days for _, days in lines]}
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
