"""Counts the progress of a job on its locked row, and ends the job when its last page has ended."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.db import connections

from jobs.charges.money import settle_job
from jobs.class_sets.classifying import store_classes
from jobs.core import states
from jobs.core.document_class import DocumentClass
from jobs.core.errors import LeaseLost
from jobs.core.models import Page
from jobs.core.reading_flags import ReadingFlags, review_json
from jobs.events.log import Happened, append_events
from jobs.fields.corrected import with_corrections
from jobs.fields.selectors import field_corrections
from jobs.own_fields.definitions import definitions_of
from jobs.own_fields.finding import of_class
from jobs.queue.document_classes import decided_class
from jobs.queue.document_fields import usual_fields
from jobs.queue.findings import Findings, FindingsOutdated, find
from tenants.core.db.unit_of_work import current_alias

# Own fields are asked for only at the end of the job, when something may have been found.
_COLUMNS = """tenant_id, pages_total, pages_succeeded, pages_failed, cost_micros, currency, livemode, api_key_id,
    held_micros, created_at, pages_to_review, class_set,
    pages_succeeded > 0 AND pages_succeeded + pages_failed >= pages_total AND EXISTS (
        SELECT FROM jobs_ownfield own WHERE own.tenant_id = jobs_job.tenant_id AND own.livemode = jobs_job.livemode
    )"""
_LOCKED = f"""
SELECT {_COLUMNS} FROM jobs_job WHERE id = %(job)s FOR NO KEY UPDATE
"""  # noqa: S608  # constants

# `least` takes no notice of nulls.
_REVIEWED = "pages_to_review = pages_to_review + %(to_review)s, quality = least(quality, %(quality)s::float8)"
_COUNTED = f"""
UPDATE jobs_job
SET pages_succeeded = pages_succeeded + %(succeeded)s, pages_failed = pages_failed + %(failed)s, {_REVIEWED},
    cost_micros = cost_micros + %(cost)s
WHERE id = %(job)s AND state IN ('queued', 'running')
RETURNING {_COLUMNS}
"""  # noqa: S608  # constants

_COUNTED_KNOWN = f"""
UPDATE jobs_job
SET pages_succeeded = pages_succeeded + %(known)s, pages_cached = pages_cached + %(known)s,
    pages_coalesced = pages_coalesced + %(coalesced)s, {_REVIEWED},
    oldest_result_at = least(oldest_result_at, %(oldest)s), cost_micros = cost_micros + %(cost)s
WHERE id = %(job)s AND state IN ('queued', 'running')
RETURNING {_COLUMNS}
"""  # noqa: S608  # constants

_CLOSE = """
UPDATE jobs_job
SET state = %(state)s, error_code = %(code)s, error_detail = %(detail)s, finished_at = clock_timestamp(),
    fields = %(fields)s::jsonb,
    class_label = %(label)s, class_probabilities = %(probabilities)s::jsonb, class_corrected = %(corrected)s,
    class_set = %(class_set)s,
    started_at = coalesce(started_at, clock_timestamp()), held_micros = NULL
WHERE id = %(job)s
"""


@dataclass(frozen=True)
class Failure:
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The review flags of pages that succeeded at once: the number that need review, and the lowest quality."""

    to_review: int = 0
    quality: float | None = None

    @classmethod
    def of(cls, *pages: ReadingFlags) -> Self:
        qualities = [page.quality for page in pages if page.quality is not None]
        return cls(sum(page.needs_review for page in pages), min(qualities, default=None))


_NONE_REVIEWED = Reviewed()


@dataclass(frozen=True)
class OpenJob:
    """The progress of a job. Its row is locked until the transaction ends."""

    id: UUID
    tenant_id: UUID
    pages_total: int
    pages_succeeded: int
    pages_failed: int
    cost_micros: int
    currency: str
    livemode: bool
    api_key_id: UUID | None
    held_micros: int | None
    created_at: datetime
    pages_to_review: int
    class_set: str
    has_own_fields: bool
    """It is set if all pages have ended, one of them succeeded, and the tenant has own fields."""
    findings: Findings | None = None

    @property
    def pages_done(self) -> int:
        return self.pages_succeeded + self.pages_failed

    @property
    def end(self) -> str | None:
        """Return the state in which the job ends now, or None if pages are left."""
        return states.closing_state(states.Tally(self.pages_total, self.pages_succeeded, self.pages_failed))

    @property
    def is_searched(self) -> bool:
        """Return whether the job ends with what is found by a class set or own fields."""
        return self.end is not None and self.pages_succeeded > 0 and (self.has_own_fields or bool(self.class_set))

    def ending_with(self, findings: Findings | None) -> "OpenJob":
        """Return the job with what was found in it. Raises FindingsOutdated if it ends with other pages than these."""
        if self.is_searched and (findings is None or findings.pages_succeeded != self.pages_succeeded):
            raise FindingsOutdated
        return replace(self, findings=findings)


def locked(job_id: UUID) -> OpenJob:
    return _job(job_id, _LOCKED, {"job": job_id})


def counted(
    job_id: UUID, reviewed: Reviewed = _NONE_REVIEWED, *, succeeded: int = 0, failed: int = 0, cost: int = 0
) -> OpenJob:
    values = {"job": job_id, "succeeded": succeeded, "failed": failed, "cost": cost, **asdict(reviewed)}
    return _job(job_id, _COUNTED, values)


def counted_known(
    job_id: UUID, reviewed: Reviewed, *, pages: int, coalesced: int, oldest: datetime, cost: int
) -> OpenJob:
    """Count pages that succeeded without a run. `oldest` is the time when the oldest of their results was made."""
    values = {"job": job_id, "known": pages, "coalesced": coalesced, "oldest": oldest, "cost": cost}
    return _job(job_id, _COUNTED_KNOWN, {**values, **asdict(reviewed)})


def append_and_close(job: OpenJob, ended: Sequence[Happened], *, accepting: bool = False) -> None:
    """Append the events of pages that ended, and close the job if no other page is left.

    This is safe if two last pages end at once: both lock the row of the job, so the second one counts the first.

    This is the last step of its transaction, since the end is settled here. The exception is a job that ends as it is
    accepted (`accepting`): it is paid after all of it is written, and it is searched here, since nobody waits for it.
    """
    state = job.end
    if state is None:
        append_events(job.id, *ended)
        return
    job = job.ending_with(find(job.tenant_id, job.id) if accepting and job.is_searched else job.findings)
    failure = _job_failure(job, state)
    found = _decided_class(job)
    values = {"job": job.id, "state": state, "code": failure.code, "detail": failure.detail}
    values["class_set"] = found.class_set if found else job.class_set
    fields = with_corrections(_read_fields(job, found), field_corrections(job.id))
    execute(_CLOSE, {**values, **_class_columns(found), "fields": fields and json.dumps(fields)})
    closed = {"state": state, "pages_done": job.pages_done, "cost_micros": job.cost_micros}
    closed |= review_json(job.pages_to_review, found)
    append_events(job.id, *ended, Happened(f"job.{state}", closed))
    if job.livemode and not accepting:
        settle_job(
            job.id,
            tenant_id=job.tenant_id,
            currency=job.currency,
            key_id=job.api_key_id,
            begun=job.created_at,
            held_micros=job.held_micros,
            cost=job.cost_micros,
        )


def _decided_class(job: OpenJob) -> DocumentClass | None:
    classes = job.findings.classes if job.findings else None
    if classes is not None:
        store_classes(job.id, tenant_id=job.tenant_id, class_set=job.class_set, found=classes)
    return decided_class(job.id, job.class_set, classes)


def _read_fields(job: OpenJob, found: DocumentClass | None) -> Mapping[str, Any] | None:
    """Return the fields as they were read. Raises FindingsOutdated if own ones were searched for otherwise."""
    label = found.label if found else ""
    own = of_class(definitions_of(job.tenant_id, livemode=job.livemode), label) if job.has_own_fields else []
    if not own:
        return usual_fields(job.id, found)
    if job.findings is None or not job.findings.fit(found, own):
        raise FindingsOutdated
    return job.findings.fields


def _class_columns(found: DocumentClass | None) -> dict[str, object]:
    if found is None:
        return {"label": "", "probabilities": None, "corrected": False}
    probabilities = json.dumps(dict(found.probabilities)) if found.probabilities else None
    return {"label": found.label, "probabilities": probabilities, "corrected": found.corrected}


def progress(job: OpenJob, number: int, state: str) -> dict[str, object]:
    return {"page": number, "state": state, "pages_done": job.pages_done, "pages_total": job.pages_total}


def execute(statement: str, values: Mapping[str, Any]) -> int:
    """Execute a statement and return the number of rows."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.rowcount)


def cas(statement: str, values: Mapping[str, Any]) -> None:
    """Execute a statement. Raises LeaseLost if nothing was changed."""
    if execute(statement, values) != 1:
        raise LeaseLost(f"page {values['page']} is no longer held with token {values['token']}")


def _job_failure(job: OpenJob, state: str) -> Failure:
    if state == states.SUCCEEDED:
        return Failure("", "")
    first = Page.objects.filter(job_id=job.id, state=states.FAILED).order_by("number").first()
    if job.pages_total == 1 and first is not None:
        return Failure(first.error_code, first.error_detail)
    summary = f"{job.pages_failed} of {job.pages_total} pages failed"
    why = f"; page {first.number}: {first.error_detail}" if first else ""
    return Failure("pages_failed", f"{summary}{why}")


def _job(job_id: UUID, statement: str, values: Mapping[str, Any]) -> OpenJob:
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
    if row is None:
        raise LeaseLost(f"job {job_id} has ended, or is not there")
    return OpenJob(job_id, *row)
