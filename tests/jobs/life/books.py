"""Everything that the database contains about some jobs at one moment, to be compared with a later moment."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.db import models
from django.db.models.expressions import RawSQL

from jobs.core import states
from jobs.core.models import Event, Job, Page
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import operator_work

_TOLD = frozenset({"renotify_at"})
_DUE_IN = "extract(epoch FROM jobs_page.run_after - clock_timestamp())::float8"
_LEASE_LEFT = "extract(epoch FROM jobs_page.lease_until - clock_timestamp())::float8"


@dataclass(frozen=True)
class Books:
    """The jobs, pages and usage by id, and the events in the order of the tenant's stream."""

    jobs: dict[UUID, Job]
    pages: dict[UUID, Page]
    events: list[Event]
    usage: list[UsageRecord]
    due_in_s: dict[UUID, float]
    """Seconds until each queued page is due. They are negative if the page is due already."""
    lost: set[UUID]
    """The pages whose leases have ended."""

    @cached_property
    def said(self) -> tuple[tuple[object, ...], ...]:
        """Return every column of every row, except the time at which the scheduler notifies a worker of it again."""
        rows = [*self.jobs.values(), *self.pages.values(), *self.events, *self.usage]
        return tuple(columns(row, but=_TOLD) for row in rows)

    @cached_property
    def pages_of(self) -> dict[UUID, list[Page]]:
        return {job: [page for page in self.pages.values() if page.job_id == job] for job in self.jobs}

    @cached_property
    def events_of(self) -> dict[UUID, list[Event]]:
        return {job: [event for event in self.events if event.job_id == job] for job in self.jobs}

    @cached_property
    def usage_of(self) -> dict[UUID, list[UsageRecord]]:
        return {page: [use for use in self.usage if use.source_id == page] for page in self.pages}

    def count(self, job_id: UUID) -> Counter[str]:
        """Return the number of the job's pages in each state."""
        return Counter(page.state for page in self.pages_of[job_id])


def columns(row: models.Model, *, but: frozenset[str] = frozenset()) -> tuple[object, ...]:
    names = [field.attname for field in row._meta.concrete_fields if field.attname not in but]
    return tuple(_plain(getattr(row, name)) for name in names)


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value


def read_books(request_id: str) -> Books:
    """Read the books of the jobs that this request made."""
    with operator_work():
        asked = Job.objects.filter(request_id=request_id).select_related("document").order_by("id")
        jobs = {job.id: job for job in asked}
        timed = Page.objects.annotate(due_in_s=RawSQL(_DUE_IN, []), lease_left_s=RawSQL(_LEASE_LEFT, []))
        rows = list(timed.filter(job__in=list(jobs)).order_by("job", "number"))
        streamed = Event.objects.filter(job__in=list(jobs)).order_by(RawSQL("jobs_event.xid", []), "id")
        usage = UsageRecord.objects.filter(source_id__in=[page.id for page in rows]).order_by("id")
        return Books(
            jobs,
            {page.id: page for page in rows},
            list(streamed),
            list(usage),
            {page.id: page.due_in_s for page in rows if page.state == states.QUEUED},
            {page.id for page in rows if page.state == states.RUNNING and page.lease_left_s < 0},
        )
