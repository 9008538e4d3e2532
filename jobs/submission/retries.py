"""Retries of jobs. A job, its retries and theirs try the same work: each took over what the one before had done."""

from contextlib import ExitStack
from uuid import UUID

from django.db import connections
from django.db.models import Count, Min, Q, QuerySet

from inference.registry.errors import ModelNotFound
from inference.registry.models import ModelVersion
from inference.registry.selectors import resolve
from jobs.charges.money import hold_for, require_money_of
from jobs.class_sets.selectors import kept_key
from jobs.core import states
from jobs.core.errors import JobNotFinished, NothingToRetry
from jobs.core.models import Job
from jobs.documents.job_selectors import get_job, jobs_and_tombstones, jobs_with_models
from jobs.queue.admission import require_short_queue
from jobs.search.services import take_over_index
from jobs.submission.allowance import require_room_for_job, require_room_for_pages
from jobs.submission.services import begin, insert, new_job, paid_pages, require_readable, use_document
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.identity.identity import Identity


def retry_job(*, identity: Identity, job_id: object, request_id: str = "") -> Job:
    """Create a job for the pages that did not succeed. Finished pages are taken over as they are, at no charge.

    A repeated request returns the same job while that is under way and when it succeeded, so nothing is paid twice.
    After a failed retry, a new one continues where it ended. Retries of retries belong to the same group.
    """
    _require_short_queue_for_retry(identity, job_id)
    with ExitStack() as paid, unit_of_work(identity):
        # Documents are locked before jobs, as everywhere: an erasure of the document locks in this order too.
        earlier = get_job(job_id)
        if earlier.document_id:
            use_document(earlier.document_id)
        _lock_first_of(earlier)
        old = get_job(job_id, for_update=True)
        identity = identity.acting_on(old)
        if not old.terminal:
            raise JobNotFinished(f"The job is still {old.state}. Wait until it is finished or cancel it first.")
        if old.state == states.SUCCEEDED:
            raise NothingToRetry("All pages of this job succeeded, so there is nothing to retry.")
        again = _retry_that_will_do(old)
        if again is not None:
            return again
        source = _furthest(old)
        version = _still_served(identity, old.model_version)
        if old.document is not None:
            require_readable(identity, version, old.document.kind)
        job = new_job(identity, version, old.parameters)
        job.retry_of, job.document_id, job.input = old, old.document_id, old.input
        job.pages_total, job.price, job.currency = old.pages_total, old.price, old.currency
        job.cached_price, job.review_price = old.cached_price, old.review_price
        job.cache_control = old.cache_control
        job.class_set = kept_key(old.class_set, livemode=old.livemode)
        job.request_id, job.priority = request_id, old.priority
        job.webhook_url = old.webhook_url
        job.pages_succeeded, job.pages_to_review, job.quality = _finished(source)
        open_numbers = source.pages.exclude(state=states.SUCCEEDED).order_by("number").values_list("number", flat=True)
        to_do = job.pages_total - job.pages_succeeded
        require_room_for_job(identity)
        require_room_for_pages(identity, to_do)
        bounds = require_money_of(job, to_do)
        paid.enter_context(paid_pages(identity, job, to_do))
        insert(job)
        _take_over(job, source)
        begin(job, list(open_numbers))
        hold_for(job, bounds)
    return job


def _require_short_queue_for_retry(identity: Identity, job_id: object) -> None:
    """Check the queue, which may take a while, before anything is locked, if a new job is needed at all."""
    with unit_of_work(identity):
        old = get_job(job_id)
        if not old.terminal or old.state == states.SUCCEEDED or _retry_that_will_do(old):
            return
    require_short_queue(identity.tenant_id, _still_served(identity, old.model_version), old.priority)


def _finished(source: Job) -> tuple[int, int, float | None]:
    """Return the number of finished pages and of those to check, and the lowest quality."""
    found = source.pages.filter(state=states.SUCCEEDED).aggregate(
        number=Count("*"), to_review=Count("id", filter=Q(needs_review=True)), quality=Min("quality")
    )
    return found["number"], found["to_review"], found["quality"]


# This is a random id whose first 48 bits are the time, as everywhere else, because lists are ordered by it.
_ORDERED_ID = """encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
    substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1),
    'hex')::uuid"""
_TAKE_OVER = f"""
INSERT INTO jobs_page (id, tenant_id, job_id, model_version_id, number, state, attempt, worker, result, error_code,
                       error_detail, cost_micros, created_at, started_at, finished_at, units, result_at, cache_key,
                       quality, needs_review, class_probabilities)
SELECT {_ORDERED_ID}, tenant_id, %(new)s, model_version_id, number, state, 0, worker, result, '', '', 0,
       clock_timestamp(), started_at, finished_at, units, result_at, cache_key, quality, needs_review,
       class_probabilities
FROM jobs_page WHERE job_id = %(old)s AND state = 'succeeded'
"""  # noqa: S608  # made of constants alone


_TAKE_OVER_CORRECTIONS = f"""
INSERT INTO jobs_correction
    (id, tenant_id, job_id, number, kind, "table", index, name, details, original, corrected, author, created_at)
SELECT {_ORDERED_ID}, tenant_id, %(new)s, number, kind, "table", index, name, details, original, corrected, author,
    created_at
FROM jobs_correction WHERE job_id = %(old)s AND ended_at IS NULL
"""  # noqa: S608  # made of constants alone


def _take_over(job: Job, old: Job) -> None:
    """Copy the finished pages of an earlier job inside the database, because they may be hundreds of megabytes."""
    with connections[APP].cursor() as cursor:
        cursor.execute(_TAKE_OVER, {"new": job.id, "old": old.id})
        cursor.execute(_TAKE_OVER_CORRECTIONS, {"new": job.id, "old": old.id})
    take_over_index(new=job.id, old=old.id)


def _still_served(identity: Identity, version: ModelVersion) -> ModelVersion:
    """Return the same version if it is still served. Finished pages and new pages must come from the same version."""
    found = resolve(version.key, tenant_id=identity.tenant_id)
    if found.pk != version.pk:
        raise ModelNotFound(f"The version {version.key} that read the finished pages is no longer available.")
    return found


# The row of a job stays as long as that of its retry does, even after the job is erased.
_ROOT = """
WITH RECURSIVE back (id, retry_of_id) AS (
    SELECT id, retry_of_id FROM jobs_job WHERE id = %(job)s
    UNION SELECT job.id, job.retry_of_id FROM jobs_job job JOIN back ON job.id = back.retry_of_id
) SELECT id FROM back WHERE retry_of_id IS NULL
"""
_ALL = """
WITH RECURSIVE again (id) AS (
    SELECT %(root)s::uuid UNION SELECT job.id FROM jobs_job job JOIN again ON job.retry_of_id = again.id
) SELECT id FROM again
"""


def _first_of(job: Job) -> UUID:
    if job.retry_of_id is None:
        return job.id
    with connections[APP].cursor() as cursor:
        cursor.execute(_ROOT, {"job": job.id})
        row = cursor.fetchone()
    return UUID(str(row[0])) if row else job.id


def _lock_first_of(job: Job) -> None:
    """Lock the first of these jobs before the job itself, so that retries see what the one before created."""
    locking = jobs_and_tombstones().select_for_update(of=("self",), no_key=True)
    locking.filter(id=_first_of(job)).first()


def _retry_that_will_do(job: Job) -> Job | None:
    """Return a retry that is under way, or that has done all there was to do."""
    enough = (*states.UNFINISHED, states.SUCCEEDED)
    return _tries(job).exclude(id=job.id).filter(state__in=enough).first()


def _furthest(job: Job) -> Job:
    """Return the job with the most pages done, locked, so that it is not erased while it is taken over."""
    tries = _tries(job).order_by("-pages_succeeded", "-id")
    return tries.select_for_update(of=("self",), no_key=True).first() or job


def _tries(job: Job) -> "QuerySet[Job]":
    with connections[APP].cursor() as cursor:
        cursor.execute(_ALL, {"root": _first_of(job)})
        return jobs_with_models().filter(id__in=[row[0] for row in cursor.fetchall()])
