"""Finds what is overdue by the database's clock: a few items of each tenant, so that none waits for a large one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from django.db import connections

from jobs.core.models import Document, Job
from jobs.documents.services import TO_THE
from tenants.core.db.unit_of_work import OPERATOR
from tenants.plans.retention import FOR_EVER, Retention

Kind = Literal["document", "job"]
EACH = 50
"""The number of items of one tenant in one look."""

# The use of a document is known to the hour, so one hour is added.
_HOUR_S = f"{TO_THE.total_seconds():.0f}"
_ENDS: Mapping[Kind, str] = {
    "document": f"used_at + make_interval(days => line.days, secs => {_HOUR_S})",
    "job": "finished_at + make_interval(days => line.days)",
}
_OLD: Mapping[Kind, str] = {
    "document": f"""used_at <= statement_timestamp() - make_interval(days => line.days, secs => {_HOUR_S})
      AND deleted_at IS NULL AND NOT EXISTS (
        SELECT FROM jobs_job job WHERE job.document_id = one.id AND job.state IN ('queued', 'running')
      )""",
    "job": """finished_at <= statement_timestamp() - make_interval(days => line.days)
      AND finished_at IS NOT NULL AND erased_at IS NULL""",
}
_SINCE: Mapping[Kind, str] = {"document": "used_at", "job": "finished_at"}
LINES = "unnest(%(tenants)s::uuid[], %(live)s::bool[], %(days)s::int[]) AS line (tenant, live, days)"

# The items are ranked within their tenant, so that each tenant's first item comes before any tenant's second.
_DUE = """
SELECT found.id, line.tenant, line.days, extract(epoch FROM clock_timestamp() - found.ends)::float
FROM {lines} CROSS JOIN LATERAL (
    SELECT one.id, {ends} AS ends, row_number() OVER (ORDER BY {since}) AS place
    FROM {table} one WHERE one.tenant_id = line.tenant AND one.livemode = line.live AND {old}
    ORDER BY {since} LIMIT %(each)s
) found
ORDER BY found.place, found.ends LIMIT 2000
"""
_COUNT = """
SELECT line.tenant, count(*), min({since}), max({since})
FROM {lines} JOIN {table} one ON one.tenant_id = line.tenant AND one.livemode = line.live AND {old}
GROUP BY line.tenant
"""
_TABLES: Mapping[Kind, str] = {"document": "jobs_document", "job": "jobs_job"}


@dataclass(frozen=True)
class Due:
    id: UUID
    tenant_id: UUID
    days: int
    overdue_s: float


@dataclass(frozen=True)
class Counted:
    tenant_id: UUID
    number: int
    oldest: Any
    newest: Any


def due(kind: Kind, retention: Mapping[UUID, Retention], each: int = EACH) -> list[Due]:
    """Return items whose time is over. This is operators' work."""
    lines = lines_of(kind, retention)
    if not lines["tenants"]:
        return []
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_filled(_DUE, kind), {**lines, "each": each})
        return [Due(*row) for row in cursor.fetchall()]


def counted(kind: Kind, retention: Mapping[UUID, Retention]) -> list[Counted]:
    """Count all items whose time is over, for a preview."""
    lines = lines_of(kind, retention)
    if not lines["tenants"]:
        return []
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_filled(_COUNT, kind), lines)
        return [Counted(*row) for row in cursor.fetchall()]


def time_over(days: int, kind: Kind) -> timedelta:
    return timedelta(days=days) + (TO_THE if kind == "document" else timedelta())


def lines_of(kind: Kind, retention: Mapping[UUID, Retention]) -> dict[str, Any]:
    """Return the parameters of `LINES`: tenants, modes, and the days after which that kind is erased."""
    found = [
        (tenant_id, live, days)
        for tenant_id, its in retention.items()
        for live in (True, False)
        for days in [its.documents(livemode=live) if kind == "document" else its.results(livemode=live)]
        if days != FOR_EVER
    ]
    return {
        "tenants": [tenant_id for tenant_id, _, _ in found],
        "live": [live for _, live, _ in found],
        "days": [days for _, _, days in found],
    }


def _filled(statement: str, kind: Kind) -> str:
    return statement.format(lines=LINES, ends=_ENDS[kind], old=_OLD[kind], since=_SINCE[kind], table=_TABLES[kind])


def job_retained_until(job: Job, retention: Retention) -> datetime | None:
    """Return the time until which a job is kept. None means for ever, or that the job has not ended."""
    days = retention.results(livemode=job.livemode)
    if days == FOR_EVER or job.finished_at is None:
        return None
    return job.finished_at + timedelta(days=days)


def document_retained_until(document: Document, retention: Retention) -> datetime | None:
    """Return until when a document is kept, None for ever. One that a job uses stays until the job has ended."""
    days = retention.documents(livemode=document.livemode)
    if days == FOR_EVER or document.deleted_at is not None:
        return None
    return document.used_at + time_over(days, "document")
