"""Reads of jobs, pages and events; inside a unit of work unless they open one themselves."""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections
from django.db.models import QuerySet

from jobs.documents.selectors import as_uuid
from jobs.errors import InvalidRequest, NotFound
from jobs.models import Event, Job
from tenants.context import APP, unit_of_work


@dataclass(frozen=True)
class EventRow:
    job_id: UUID
    seq: int
    type: str
    data: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True)
class StreamRow(EventRow):
    cursor: str
    """Its place in the tenant's stream: read on from here."""


@dataclass(frozen=True)
class EventPage:
    events: list[StreamRow]
    cursor: str
    """Where to read on, also when there was nothing to read."""
    pending: bool
    """There are newer rows that may not be shown yet: a transaction older than they are is still running."""


def jobs_with_models() -> "QuerySet[Job]":
    """Without the inline input, which may be megabytes that nobody who lists or shows a job asks for."""
    return Job.objects.select_related("model_version__served_model").defer("input").order_by("-id")


def get_job(job_id: object, *, for_update: bool = False) -> Job:
    wanted = as_uuid(job_id)
    jobs = jobs_with_models()
    if for_update:
        jobs = jobs.select_for_update(of=("self",), no_key=True)
    job = jobs.filter(id=wanted).first() if wanted else None
    if job is None:
        raise NotFound(f"There is no job {str(job_id)[:60]!r}.")
    return job


def job_events_after(tenant_id: UUID, job_id: object, seq: int, limit: int = 200) -> list[EventRow]:
    """A job's own events have no gaps, because each is numbered under the lock of the job's row."""
    with unit_of_work(tenant_id):
        job = get_job(job_id)
        rows = Event.objects.filter(job_id=job.id, seq__gt=seq).order_by("seq")[:limit]
        return [EventRow(row.job_id, row.seq, row.type, row.data, row.created_at) for row in rows]


_CURSOR = re.compile(r"(\d{1,20})-(\d{1,19})")

_NOW = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text"

_TAIL = """
SELECT job_id, seq, type, data, created_at, xid::text, id
FROM jobs_event
WHERE tenant_id = %(tenant)s AND (xid, id) > (%(xid)s::xid8, %(id)s)
  AND xid < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY xid, id LIMIT %(limit)s
"""

_PENDING = """
SELECT EXISTS (
    SELECT FROM jobs_event
    WHERE tenant_id = %(tenant)s AND (xid, id) > (%(xid)s::xid8, %(id)s)
      AND xid >= pg_snapshot_xmin(pg_current_snapshot())
)
"""


def tenant_events_after(tenant_id: UUID, cursor: str | None, limit: int = 200) -> EventPage:
    """The tenant's whole stream, safe against transactions that commit out of order.

    Rows are read in the order of their transactions, and only below the oldest one still running: a row that a
    late commit would put before them can therefore not appear any more.
    """
    if cursor is None:
        return EventPage([], _cursor_now(tenant_id), pending=False)
    xid, row_id = _place(cursor)
    values: dict[str, UUID | str | int] = {"tenant": tenant_id, "xid": xid, "id": row_id, "limit": limit}
    with unit_of_work(tenant_id), connections[APP].cursor() as sql:
        # Asked first: what stops being pending before the rows are read is among them.
        sql.execute(_PENDING, values)
        pending = bool(sql.fetchone()[0])
        sql.execute(_TAIL, values)
        rows = sql.fetchall()
        if rows:
            values["xid"], values["id"] = rows[-1][5], rows[-1][6]
    events = [
        StreamRow(row[0], row[1], row[2], _decoded(row[3]), row[4], f"{row[5]}-{row[6]}") for row in rows
    ]
    return EventPage(events, f"{values['xid']}-{values['id']}", pending or len(rows) == limit)


def _place(cursor: str) -> tuple[str, int]:
    match = _CURSOR.fullmatch(cursor)
    if match is None or int(match[1]) >= 2**64 or int(match[2]) >= 2**63:
        raise InvalidRequest(
            f"{cursor[:60]!r} is not a cursor of this stream; use one that it gave you.",
            code="invalid_cursor",
        )
    return match[1], int(match[2])


def _cursor_now(tenant_id: UUID) -> str:
    """Just below the oldest running transaction: whatever commits from here on comes after it."""
    with unit_of_work(tenant_id), connections[APP].cursor() as sql:
        sql.execute(_NOW)
        return f"{sql.fetchone()[0]}-0"


def _decoded(data: str | dict[str, Any]) -> dict[str, Any]:
    """A raw cursor gives jsonb as text."""
    return dict(json.loads(data)) if isinstance(data, str) else data
