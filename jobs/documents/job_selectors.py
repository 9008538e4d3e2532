"""Reads of jobs, pages and events. They run inside a unit of work unless they open one themselves."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections
from django.db.models import QuerySet

from jobs.core.errors import EventsErased, JobErased
from jobs.core.models import Event, Job, Page
from jobs.core.states import TERMINAL
from jobs.documents.selectors import erased_words, tombstone
from tenants.core.db.unit_of_work import APP, Acting, unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.core.ids import as_uuid


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
    """The event's position in the tenant's stream. Reading goes on from here."""


@dataclass(frozen=True)
class EventPage:
    events: list[StreamRow]
    cursor: str
    """The position from which to read on. It is set even if there was nothing to read."""
    more: bool
    """Newer rows exist that can be read at once."""
    pending: bool
    """Newer rows exist, or rows that may not be shown yet because an older transaction is still running."""


def jobs_with_models() -> "QuerySet[Job]":
    """Return the jobs that are not erased, without their inline input, which may be megabytes."""
    return jobs_and_tombstones().filter(erased_at=None)


def jobs_and_tombstones() -> "QuerySet[Job]":
    """Return all jobs, including what is left of erased ones: their counts, times and costs."""
    return Job.objects.select_related("model_version__served_model").defer("input").order_by("-id")


def get_job(job_id: object, *, for_update: bool = False) -> Job:
    """Return a job. Raises NotFound for an unknown or foreign one, JobErased if it was the caller's own."""
    wanted = as_uuid(job_id)
    jobs = jobs_and_tombstones().select_related("document")
    if for_update:
        jobs = jobs.select_for_update(of=("self",), no_key=True)
    job = jobs.filter(id=wanted).first() if wanted else None
    if job is None:
        raise NotFound(f"There is no job {str(job_id)[:60]!r}.")
    return unless_erased(job)


def unless_erased(job: Job) -> Job:
    if job.erased_at is not None:
        raise JobErased(erased_words("job", job.id, job.erased_at, job.erased_reason), extra=tombstone(job))
    return job


def get_job_page(job: Job, number: int) -> Page:
    page = job.pages.filter(number=number).first()
    if page is None:
        raise NotFound(f"This job has no page {number}. Its last page is {job.pages_total}.")
    return page


def job_events_after(whose: Acting, job_id: object, seq: int, limit: int = 200) -> list[EventRow]:
    """Return a job's events after number `seq`. Events are numbered without gaps, so if the next one is missing, it was
    erased and an error is raised.
    """
    with unit_of_work(whose):
        job = get_job(job_id)
        if seq > job.last_seq:
            raise InvalidRequest(
                f"This job has no event {seq}. Its last event is {job.last_seq}. Leave out `after` and `Last-Event-ID`"
                " to start with the first event.",
                code="invalid_cursor",
            )
        rows = list(Event.objects.filter(job_id=job.id, seq__gt=seq).order_by("seq")[:limit])
        kept_after = rows[0].seq - 1 if rows else job.last_seq
        if kept_after > seq:
            raise _events_erased(f"Events 1 to {kept_after} of this job", kept_after)
        return [EventRow(row.job_id, row.seq, row.type, row.data, row.created_at) for row in rows]


@dataclass(frozen=True)
class JobPosition:
    """The progress of a job."""

    last_seq: int
    ended: bool


def job_places(tenant_id: UUID, job_ids: Iterable[UUID]) -> dict[UUID, JobPosition]:
    with unit_of_work(tenant_id):
        rows = Job.objects.filter(id__in=list(job_ids)).values_list("id", "last_seq", "state")
        return {job_id: JobPosition(last_seq, state in TERMINAL) for job_id, last_seq, state in rows}


def newest_event(tenant_id: UUID) -> str:
    """Return the position of the last event, whether it was shown or not. It is empty if there are no events."""
    with unit_of_work(tenant_id), connections[APP].cursor() as sql:
        sql.execute(_NEWEST, {"tenant": tenant_id})
        row = sql.fetchone()
    return f"{row[0]}-{row[1]}" if row else ""


_CURSOR = re.compile(r"([0-9]{1,20})-([0-9]{1,19})")

_NEWEST = "SELECT xid::text, id FROM jobs_event WHERE tenant_id = %(tenant)s ORDER BY xid DESC, id DESC LIMIT 1"

# The position is taken from the events on disk and not from the number of the next transaction. After a crash, the
# database gives out the numbers of transactions again whose log was not written yet. Events with these numbers would
# lie before a position that a caller was given earlier.
_NOW = """
SELECT xid::text, id FROM (
    (SELECT xid, id FROM jobs_event
     WHERE tenant_id = %(tenant)s AND xid < pg_snapshot_xmin(pg_current_snapshot())
     ORDER BY xid DESC, id DESC LIMIT 1)
    UNION ALL SELECT xid, event_id FROM jobs_eventhorizon WHERE tenant_id = %(tenant)s
) known ORDER BY known.xid DESC, known.id DESC LIMIT 1
"""

# The same query finds out if events after the cursor are erased, so that an erasure at this moment is not missed.
# Events that are not of the caller's mode are read as well, so that the next query continues after them.
_TAIL = """
SELECT job_id, seq, type, data, created_at, xid::text, id, missed.them,
    %(mode)s::boolean IS NULL OR EXISTS (
        SELECT FROM jobs_job job
        WHERE job.tenant_id = %(tenant)s AND job.id = event.job_id AND job.livemode = %(mode)s::boolean
    )
FROM (
    SELECT EXISTS (
        SELECT FROM jobs_eventhorizon
        WHERE tenant_id = %(tenant)s AND (xid, event_id) > (%(xid)s::xid8, %(id)s)
    ) AS them
) missed LEFT JOIN LATERAL (
    SELECT job_id, seq, type, data, created_at, xid, id FROM jobs_event
    WHERE tenant_id = %(tenant)s AND (xid, id) > (%(xid)s::xid8, %(id)s)
      AND xid < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY xid, id LIMIT %(limit)s
) event ON true
ORDER BY event.xid, event.id
"""

MAX_LOOKS = 20
"""The most queries in a row that find no visible event. Then the caller gets the position to read on from."""

_HORIZON = "SELECT xid::text, event_id FROM jobs_eventhorizon WHERE tenant_id = %(tenant)s"

_PENDING = """
SELECT EXISTS (
    SELECT FROM jobs_event
    WHERE tenant_id = %(tenant)s AND (xid, id) > (%(xid)s::xid8, %(id)s)
      AND xid >= pg_snapshot_xmin(pg_current_snapshot())
), %(xid)s::xid8 > pg_snapshot_xmax(pg_current_snapshot())
"""


def tenant_events_after(whose: Acting, cursor: str | None, limit: int = 200) -> EventPage:
    """Return the events of the tenant's stream, or of the caller's mode, after `cursor`.

    Rows are read in the order of transactions, below the oldest that still runs, so that no late commit adds a row
    before them. Within a job this is the order of numbers, by the code that writes events (`jobs/events/log.py`).
    """
    tenant_id = whose.tenant_id
    if cursor is None:
        return EventPage([], _cursor_now(tenant_id), more=False, pending=False)
    xid, row_id = _place(cursor)
    values: dict[str, UUID | str | int | bool | None] = {
        "tenant": tenant_id,
        "mode": whose.mode,
        "limit": limit + 1,
    }
    values |= {"xid": xid, "id": row_id}
    with unit_of_work(tenant_id), connections[APP].cursor() as sql:
        # This query comes first: an event that stops being pending before the rows are read is then among the rows.
        sql.execute(_PENDING, values)
        pending, ahead = sql.fetchone()
        if ahead:
            raise _not_a_cursor(cursor)
        for _ in range(MAX_LOOKS):
            sql.execute(_TAIL, values)
            found = sql.fetchall()
            if found[0][7]:
                sql.execute(_HORIZON, values)
                raise _events_erased("Events that came after this cursor", "{}-{}".format(*sql.fetchone()))
            found = [row for row in found if row[0] is not None]
            rows = found[:limit]
            if rows:
                values["xid"], values["id"] = rows[-1][5], rows[-1][6]
            shown = [row for row in rows if row[8]]
            more = len(found) > limit
            if shown or not more:
                break
    events = [StreamRow(row[0], row[1], row[2], json.loads(row[3]), row[4], f"{row[5]}-{row[6]}") for row in shown]
    return EventPage(events, f"{values['xid']}-{values['id']}", more, pending or more)


def _events_erased(which: str, position: str | int) -> EventsErased:
    return EventsErased(
        f"{which} were erased after their retention period. Reload your jobs and continue after {position}.",
        extra={"after": position},
    )


def _place(cursor: str) -> tuple[str, int]:
    match = _CURSOR.fullmatch(cursor)
    if match is None or int(match[1]) >= 2**64 or int(match[2]) >= 2**63:
        raise _not_a_cursor(cursor)
    return match[1], int(match[2])


def _not_a_cursor(cursor: str) -> InvalidRequest:
    """Return the error for a cursor that is malformed, or given out before a backup was restored."""
    return InvalidRequest(
        f"{cursor[:60]!r} is not a cursor of this stream. Use a cursor from one of its events.",
        code="invalid_cursor",
    )


def _cursor_now(tenant_id: UUID) -> str:
    """Return the position of the last event that is older than all running transactions. Events that are committed
    later come after it.
    """
    with unit_of_work(tenant_id), connections[APP].cursor() as sql:
        sql.execute(_NOW, {"tenant": tenant_id})
        xid, row_id = sql.fetchone() or (0, 0)
    return f"{xid}-{row_id}"
