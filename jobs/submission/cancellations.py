"""Ends jobs before their work is done: on request, or at the deadline that their sender gave."""

from datetime import datetime
from functools import partial
from uuid import UUID

import structlog
from django.db import connections, transaction
from django.db.models.functions import Least, Now

from jobs.charges.money import settle_ended
from jobs.core import states
from jobs.core.errors import JobFinished
from jobs.core.models import Document, Job, Page
from jobs.core.reading_flags import review_json
from jobs.documents.job_selectors import get_job, jobs_with_models
from jobs.events.changes import notify_canceled
from jobs.events.log import append_event
from jobs.submission.services import wake_after_commit
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work, unit_of_work
from tenants.identity.identity import Identity

log = structlog.get_logger(__name__)
AT_ONCE = 200

# The conditions match the index, so that jobs that are not due yet are not read.
ANY_OVERDUE = """EXISTS (
    SELECT FROM jobs_job WHERE state IN ('queued', 'running') AND (expires_at IS NOT NULL OR cancel_at IS NOT NULL)
      AND least(expires_at, cancel_at) <= statement_timestamp()
)"""
_OVERDUE = """
SELECT id, tenant_id, least(expires_at, cancel_at) AS due FROM jobs_job
WHERE state IN ('queued', 'running') AND (expires_at IS NOT NULL OR cancel_at IS NOT NULL)
  AND least(expires_at, cancel_at) <= statement_timestamp()
  AND (%(after)s::timestamptz IS NULL OR least(expires_at, cancel_at) > %(after)s)
ORDER BY due
LIMIT %(at_once)s
"""


_EXPIRED = {
    "error_code": "job_expired",
    "error_detail": "The job was not finished in time (expires_after). Finished pages are kept.",
}


def cancel_job(*, identity: Identity, job_id: object) -> Job:
    """Cancel a job at once. Queued pages never start, running pages are stopped, and their results are not charged."""
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        if job.state == states.CANCELED:
            return job
        if job.terminal:
            raise JobFinished(f"The job has already ended ({job.state}), so it cannot be canceled.")
        _cancel(job)
        settle_ended([job])
    return job


def end_overdue_job(*, tenant_id: UUID, job_id: UUID) -> bool:
    """End a job if it is overdue and return whether it was. A job that is locked is left for the next look."""
    with unit_of_work(tenant_id):
        unfinished = jobs_with_models().filter(id=job_id, state__in=states.UNFINISHED)
        overdue = unfinished.alias(due=Least("expires_at", "cancel_at")).filter(due__lte=Now())
        job = overdue.select_for_update(of=("self",), no_key=True, skip_locked=True).first()
        if job is None:
            return False
        canceled_first = job.expires_at is None or (job.cancel_at is not None and job.cancel_at < job.expires_at)
        _cancel(job, state=states.CANCELED if canceled_first else states.EXPIRED)
        settle_ended([job])
    return True


def cancel_unfinished_jobs_of(document: Document) -> list[Job]:
    """Cancel the unfinished jobs of a document. The caller settles their money at the end of its transaction."""
    unfinished = Job.objects.select_for_update(no_key=True).filter(document=document, state__in=states.UNFINISHED)
    jobs = list(unfinished.order_by("id"))
    _cancel(*jobs)
    return jobs


def _cancel(*jobs: Job, state: str = states.CANCELED) -> None:
    # All pages are updated in one statement. The pages of other jobs that this releases are locked only after all pages
    # of these jobs. If the jobs were handled one by one, two erasures of documents whose pages wait for each other's
    # would deadlock.
    Page.objects.filter(job__in=jobs, state__in=states.UNFINISHED).update(
        state=state, finished_at=Now(), lease_until=None, renotify_at=None
    )
    for job in jobs:
        _end_unfinished(job, state)


def _end_unfinished(job: Job, state: str) -> None:
    if job.state == states.RUNNING:
        transaction.on_commit(partial(notify_canceled, job.id), using=APP)
    why = _EXPIRED if state == states.EXPIRED else {}
    Job.objects.filter(id=job.id).update(state=state, finished_at=Now(), held_micros=None, **why)
    ended = {"state": state, "pages_done": job.pages_done, **review_json(job.pages_to_review, job.document_class)}
    append_event(job.id, f"job.{state}", ended)
    held_micros = job.held_micros
    job.refresh_from_db()
    job.held_micros = held_micros  # the value from before, for the settlement
    wake_after_commit(job.model_version)


def end_overdue_jobs() -> int:
    """End overdue jobs and return how many. One that is locked, or cannot end, is found again in a second."""
    ended = 0
    after: datetime | None = None
    while overdue := _overdue(after):
        ended += sum(_end(job_id, tenant_id) for job_id, tenant_id, _ in overdue)
        after = overdue[-1][2]
    return ended


def _overdue(after: datetime | None) -> list[tuple[UUID, UUID, datetime]]:
    """Return the next overdue jobs in their order. Jobs that could not be ended do not hide the jobs behind them."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_OVERDUE, {"after": after, "at_once": AT_ONCE})
        return list(cursor.fetchall())


def _end(job_id: UUID, tenant_id: UUID) -> bool:
    try:
        return end_overdue_job(tenant_id=tenant_id, job_id=job_id)
    except Exception:
        # The other jobs are still to be ended. This job is tried again in the next round.
        log.exception("job_not_ended", job_id=str(job_id), tenant_id=str(tenant_id))
        return False
