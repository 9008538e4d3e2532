"""Writes to jobs: accept, cancel and retry. Each is one transaction, and workers are notified after it."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connections, transaction
from django.db.models.functions import Least, Now

from inference.registry.models import ModelVersion
from inference.registry.selectors import resolve
from inference.runtime.inputs_counted import inputs_in
from inference.runtime.parameters import validate_parameters, validate_work_kind
from inference.runtime.tensor_requests import validate_input
from jobs.charges.money import hold_for, require_money_of, settle_ended
from jobs.core import states
from jobs.core.deadlines import FOR_EVER, Deadlines
from jobs.core.errors import JobFinished, JobNotFinished, NothingToRetry
from jobs.core.metrics import JOBS_ACCEPTED
from jobs.core.models import Document, Job, Page
from jobs.core.priorities import STANDARD
from jobs.documents.job_selectors import get_job, jobs_with_models
from jobs.documents.selectors import get_document
from jobs.documents.uses import note_use
from jobs.events.control import notify_canceled
from jobs.events.log import append_event
from jobs.queue.admission import require_short_queue
from jobs.queue.release import release_after_commit
from jobs.results.reuse.accepting import find_known, take_known
from jobs.results.reuse.cache_directives import Wish
from jobs.search.embeddings import take_over_embeddings
from jobs.search.services import index_name, take_over_words
from jobs.submission.allowance import pages_paid, require_room_for_job
from jobs.submission.document_kinds import require_readable
from jobs.submission.inputs import input_kind, work_input
from jobs.submission.job_rows import FIRST_SEQ, write_beginning
from jobs.submission.page_allowance import require_room_for_pages
from jobs.submission.retries import furthest, lock_first_of, retry_that_will_do
from jobs.webhooks.job_urls import taken_url
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity

_EXPIRED = {
    "error_code": "job_expired",
    "error_detail": "The job was not finished in time (expires_after). Finished pages are kept.",
}


@dataclass(frozen=True)
class JobRequest:
    """A request for a job. It has exactly one of a document and `input`."""

    model: str
    document_id: object | None = None
    document: Document | None = None
    """The same document, if the caller wrote or locked it in the unit of work in which the job is stored."""
    input: Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    request_id: str = ""
    is_paid: bool = False
    """Set if its pages are counted already, since they had to be known before its document was stored."""
    priority: int = STANDARD
    cache_control: Wish = ""
    webhook_url: str = ""
    """The URL that is notified of the job's end, in addition to the tenant's endpoints."""
    deadlines: Deadlines = FOR_EVER


def submit_job(*, identity: Identity, request: JobRequest) -> Job:
    """Accept a job and return it. Everything that can be refused is refused here, before any work."""
    require_one_source(request)
    version = resolve(request.model)
    check_request(version, request)
    if not request.is_paid:
        require_short_queue(identity.tenant_id, version, request.priority)
    with ExitStack() as paid, unit_of_work(identity):
        document = _document(request)
        if document is not None:
            require_readable(identity, version, document.kind)
            identity = identity.acting_on(document)
        job = _new_job(identity, version, request.parameters)
        job.document = document
        job.input = request.input
        job.pages_total = document.pages_total if document else 1
        job.request_id, job.cache_control = request.request_id, request.cache_control
        job.priority = request.priority
        require_room_for_job(identity)
        require_room_for_pages(identity, job.pages_total)
        bounds = require_money_of(job, job.pages_total)
        # This comes after those checks: it may lock rows that a change of the tenant locks later.
        job.webhook_url = taken_url(identity, request.webhook_url)
        if not request.is_paid:
            paid.enter_context(_paid(identity, job, job.pages_total))
        _insert(job)
        if request.deadlines.given:
            _set_deadlines(job, request.deadlines)
        _begin(job, range(1, job.pages_total + 1))
        hold_for(job, bounds)
    return job


def require_one_source(request: JobRequest) -> None:
    if (request.document_id is None and request.document is None) == (request.input is None):
        raise InvalidRequest(
            "Send exactly one of `document` (the ID of an uploaded document), `document_url` and `input`."
        )


def check_request(version: ModelVersion, request: JobRequest) -> None:
    """Refuse now what the model would refuse, while the caller still waits for the response."""
    validate_work_kind(version.runtime, input_kind(request.input), version.config)
    validate_parameters(version.runtime, request.parameters, version.config)
    if request.input is not None:
        validate_input(version.signature, work_input(request.input))


def check_model(model: str, parameters: Mapping[str, Any]) -> ModelVersion:
    """Check the model before a document is stored, lest one is stored for a job that would be refused."""
    version = resolve(model)
    validate_work_kind(version.runtime, input_kind(None), version.config)
    validate_parameters(version.runtime, parameters, version.config)
    return version


def _document(request: JobRequest) -> Document | None:
    if request.document is not None or request.document_id is None:
        return request.document
    return _used(request.document_id)


def _used(document_id: object) -> Document:
    document = get_document(document_id, for_update=True)
    note_use(document)
    return document


def _new_job(identity: Identity, version: ModelVersion, parameters: Mapping[str, Any]) -> Job:
    served = version.served_model
    identity.require_model(served.name)
    agreed = identity.prices.of_model(served.name, served.price, served.cached_price)
    return Job(
        id=uuid7(),
        tenant_id=identity.tenant_id,
        model_version=version,
        parameters=dict(parameters),
        price=agreed.price.to_json(),
        cached_price=agreed.cached_price.to_json(),
        currency=agreed.price.currency,
        livemode=identity.livemode,
        api_key_id=identity.key_id,
    )


def _paid(identity: Identity, job: Job, pages: int) -> AbstractContextManager[None]:
    version = job.model_version
    inputs = 1
    if job.input is not None and not job.livemode:
        # The inputs are counted only for tests, because they must be read to be counted.
        inputs = inputs_in(version.signature, work_input(job.input))
    return pages_paid(identity, version.served_model.name, pages, inputs=inputs)


def _insert(job: Job) -> None:
    job.last_seq = FIRST_SEQ
    job.save(force_insert=True)
    index_name(job)
    transaction.on_commit(JOBS_ACCEPTED.labels(model=job.model_version.key).inc, using=APP)


def _set_deadlines(job: Job, deadlines: Deadlines) -> None:
    """Set the deadlines by the clock of the database, like every time of the queue."""
    spans = {"expires_at": deadlines.expires_after_s, "cancel_at": deadlines.cancel_after_s}
    Job.objects.filter(id=job.id).update(
        **{name: Now() + timedelta(seconds=seconds) for name, seconds in spans.items() if seconds is not None}
    )
    job.refresh_from_db(fields=list(spans))


def _begin(job: Job, numbers: Sequence[int]) -> None:
    """Begin these pages: cached pages are done at once, and workers are notified of the others."""
    taken = find_known(job, numbers)
    known = {one.number for one in taken}
    write_beginning(job, [number for number in numbers if number not in known])
    if taken:
        take_known(job, taken)
    if len(taken) < len(numbers):
        _wake_after_commit(job.model_version)


def _wake_after_commit(version: ModelVersion) -> None:
    transaction.on_commit(partial(release_after_commit, version.id, version.key), using=APP)


def cancel_job(*, identity: Identity, job_id: object) -> Job:
    """Cancel a job at once: queued pages never start, a running page ends, and its result is never paid."""
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
        canceled_first = job.expires_at is None or (
            job.cancel_at is not None and job.cancel_at < job.expires_at
        )
        _cancel(job, state=states.CANCELED if canceled_first else states.EXPIRED)
        settle_ended([job])
    return True


def cancel_unfinished_jobs_of(document: Document) -> list[Job]:
    """Cancel the unfinished jobs of a document. The caller settles their money at the end of its transaction."""
    unfinished = Job.objects.select_for_update(no_key=True).filter(
        document=document, state__in=states.UNFINISHED
    )
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
    append_event(job.id, f"job.{state}", {"state": state, "pages_done": job.pages_done})
    held_micros = job.held_micros
    job.refresh_from_db()
    job.held_micros = held_micros  # the value from before, for the settlement
    _wake_after_commit(job.model_version)


def retry_job(*, identity: Identity, job_id: object, request_id: str = "") -> Job:
    """Create a job for the pages that did not succeed. Finished pages are taken over as they are, at no charge.

    A repeated request returns the same job while it is under way and when it succeeded. So a double click pays once,
    and so does a request that is sent again because its response was lost. After a retry that did not succeed, a new
    retry continues where it ended. A retry of a retry belongs to the same group, whichever of them is retried.
    """
    _require_short_queue_for_retry(identity, job_id)
    with ExitStack() as paid, unit_of_work(identity):
        # Documents are locked before jobs, as everywhere: an erasure of the document locks in this order too.
        asked = get_job(job_id)
        if asked.document_id:
            _used(asked.document_id)
        lock_first_of(asked)
        old = get_job(job_id, for_update=True)
        identity = identity.acting_on(old)
        if not old.terminal:
            raise JobNotFinished(
                f"The job is still {old.state}. Wait until it is finished or cancel it first."
            )
        if old.state == states.SUCCEEDED:
            raise NothingToRetry("All pages of this job succeeded, so there is nothing to retry.")
        again = retry_that_will_do(old)
        if again is not None:
            return again
        source = furthest(old)
        version = _still_served(old.model_version)
        if old.document is not None:
            require_readable(identity, version, old.document.kind)
        job = _new_job(identity, version, old.parameters)
        job.retry_of, job.document_id, job.input = old, old.document_id, old.input
        job.pages_total, job.price, job.currency = old.pages_total, old.price, old.currency
        job.cached_price, job.cache_control = old.cached_price, old.cache_control
        job.request_id, job.priority = request_id, old.priority
        job.webhook_url = old.webhook_url
        finished = source.pages.filter(state=states.SUCCEEDED)
        job.pages_succeeded = finished.count()
        open_numbers = (
            source.pages.exclude(state=states.SUCCEEDED).order_by("number").values_list("number", flat=True)
        )
        to_do = job.pages_total - job.pages_succeeded
        require_room_for_job(identity)
        require_room_for_pages(identity, to_do)
        bounds = require_money_of(job, to_do)
        paid.enter_context(_paid(identity, job, to_do))
        _insert(job)
        _take_over(job, source)
        _begin(job, list(open_numbers))
        hold_for(job, bounds)
    return job


def _require_short_queue_for_retry(identity: Identity, job_id: object) -> None:
    """Check the queue before anything is locked, since reading the queue may take a while. If no new job is needed,
    this does nothing, and the caller reports it later.
    """
    with unit_of_work(identity):
        old = get_job(job_id)
        if not old.terminal or old.state == states.SUCCEEDED or retry_that_will_do(old):
            return
    require_short_queue(identity.tenant_id, _still_served(old.model_version), old.priority)


# This is a random id whose first 48 bits are the time, as everywhere else, because lists are ordered by it.
_ORDERED_ID = """encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
    substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1),
    'hex')::uuid"""
_TAKE_OVER = f"""
INSERT INTO jobs_page (id, tenant_id, job_id, model_version_id, number, state, attempt, worker, result, error_code,
                       error_detail, cost_micros, created_at, started_at, finished_at, units, result_at, cache_key)
SELECT {_ORDERED_ID}, tenant_id, %(new)s, model_version_id, number, state, 0, worker, result, '', '', 0,
       clock_timestamp(), started_at, finished_at, units, result_at, cache_key
FROM jobs_page WHERE job_id = %(old)s AND state = 'succeeded'
"""  # noqa: S608  # made of constants alone


def _take_over(job: Job, old: Job) -> None:
    """Copy the finished pages of an earlier job, which may be hundreds of megabytes, inside the database."""
    with connections[APP].cursor() as cursor:
        cursor.execute(_TAKE_OVER, {"new": job.id, "old": old.id})
    take_over_words(new=job.id, old=old.id)
    take_over_embeddings(new=job.id, old=old.id)


def _still_served(version: ModelVersion) -> ModelVersion:
    """Return the same version if it is still served. Finished pages and new pages must come from the same version."""
    return resolve(version.key)
