"""Follows the event log without gaps: a job's events by their numbers, a tenant's by a cursor."""

from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from jobs.documents.job_selectors import EventRow, job_events_after, tenant_events_after
from tenants.core.db.unit_of_work import Acting
from tenants.core.times import rfc3339

BATCH = 200


@dataclass(frozen=True)
class Delivery:
    """An event for the client, and the position to continue after it."""

    event: dict[str, Any]
    cursor: str | int


@dataclass(frozen=True)
class Reading:
    deliveries: tuple[Delivery, ...] = ()
    more: bool = False
    """Set if the next read is to follow at once."""
    unsettled: bool = False
    """Set if newer events exist that may not be shown yet. Read again soon, without waiting for a notification."""


class Tail(Protocol):
    """A reader of the event log. `read` is synchronous, opens its own unit of work and advances the position."""

    @property
    def subject(self) -> UUID: ...

    @property
    def place(self) -> str | int | None: ...

    def read(self) -> Reading: ...


def event_json(row: EventRow) -> dict[str, Any]:
    return {
        "job": str(row.job_id),
        "seq": row.seq,
        "type": row.type,
        "data": row.data,
        "created_at": rfc3339(row.created_at),
    }


class JobTail:
    """The events of one job after a sequence number."""

    def __init__(self, whose: Acting, job_id: UUID, after: int) -> None:
        self._whose = whose
        self.subject = job_id
        self.place = after

    def read(self) -> Reading:
        rows = job_events_after(self._whose, self.subject, self.place, BATCH)
        if rows:
            self.place = rows[-1].seq
        return Reading(tuple(Delivery(event_json(row), row.seq) for row in rows), more=len(rows) == BATCH)


class TenantTail:
    """The events of a tenant that the caller may see, after a cursor, or from now on if there is no cursor."""

    def __init__(self, whose: Acting, after: str | None) -> None:
        self._whose = whose
        self.subject = whose.tenant_id
        self.place = after

    def read(self) -> Reading:
        page = tenant_events_after(self._whose, self.place, BATCH)
        self.place = page.cursor
        deliveries = tuple(Delivery(event_json(row), row.cursor) for row in page.events)
        return Reading(deliveries, more=page.more, unsettled=page.pending and not page.more)
