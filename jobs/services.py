"""Writes to jobs: accept, cancel, retry. Each is one transaction; workers are woken after it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import connections, transaction
from django.db.models.functions import Now

from inference.registry.models import ModelVersion
from inference.registry.selectors import resolve
from inference.runtime.parameters import validate_parameters, validate_work_kind
from inference.runtime.tensor_requests import validate_input
from jobs import states
from jobs.dispatch.events import append_event
from jobs.dispatch.release import release_after_commit
from jobs.documents.selectors import get_document
from jobs.errors import InvalidRequest, JobFinished, JobNotFinished, NothingToRetry
from jobs.inputs import input_kind, work_input
from jobs.metrics import JOBS_ACCEPTED
from jobs.models import Document, Job, Page
from jobs.selectors import get_job, jobs_with_models
from tenants.context import APP, unit_of_work
from tenants.identity import Identity
from tenants.ids import uuid7


@dataclass(frozen=True)
class JobRequest:
    """Exactly one of `document_id` and `input`."""

    model: str
    document_id: object | None = None
    input: Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    request_id: str = ""


def submit_job(*, identity: Identity, request: JobRequest) -> Job:
    """The accepted job. Everything that can be refused is refused here, before any work."""
    if (request.document_id is None) == (request.input is None):
        raise InvalidRequest("Send exactly one of `document` (the id of an uploaded document) and `input`.")
    version = resolve(request.model)
    _check(version, request)
    with unit_of_work(identity.tenant_id):
        document = _document(request)
        job = _new_job(identity, version, request.parameters)
        job.document = document
        job.input = request.input
        job.pages_total = document.pages_total if document else 1
        job.request_id = request.request_id
        _insert(job, [Page(number=number) for number in range(1, job.pages_total + 1)])
    return job


def _check(version: ModelVersion, request: JobRequest) -> None:
    """What a model would refuse is refused now, while the caller is still listening."""
    validate_work_kind(version.runtime, input_kind(request.input))
    validate_parameters(version.runtime, request.parameters)
    if request.input is not None:
        validate_input(version.signature, work_input(request.input))


def check_model(model: str, parameters: Mapping[str, Any]) -> None:
    """For a document that is still to be stored: nothing is kept for a job that would be refused."""
    version = resolve(model)
    validate_work_kind(version.runtime, input_kind(None))
    validate_parameters(version.runtime, parameters)


def _document(request: JobRequest) -> Document | None:
    if request.document_id is None:
        return None
    return get_document(request.document_id, for_update=True)


def _new_job(identity: Identity, version: ModelVersion, parameters: Mapping[str, Any]) -> Job:
    price = version.served_model.price
    return Job(
        id=uuid7(),
        tenant_id=identity.tenant_id,
        model_version=version,
        parameters=dict(parameters),
        price=price.to_json(),
        currency=price.currency,
        livemode=identity.livemode,
        api_key_id=identity.key_id,
    )


def _insert(job: Job, pages: list[Page]) -> None:
    job.save(force_insert=True)
    for page in pages:
        page.tenant_id, page.job_id, page.model_version_id = job.tenant_id, job.id, job.model_version_id
    Page.objects.bulk_create(pages, batch_size=500)
    append_event(job.id, "job.queued", {"state": states.QUEUED, "pages_total": job.pages_total})
    job.refresh_from_db(fields=["last_seq"])
    transaction.on_commit(JOBS_ACCEPTED.labels(model=job.model_version.key).inc, using=APP)
    _wake_after_commit(job.model_version)


def _wake_after_commit(version: ModelVersion) -> None:
    transaction.on_commit(partial(release_after_commit, version.id, version.key), using=APP)


def cancel_job(*, identity: Identity, job_id: object) -> Job:
    """Takes effect at once: queued pages never start; a running page's result is thrown away unpaid."""
    with unit_of_work(identity.tenant_id):
        job = get_job(job_id, for_update=True)
        if job.state == states.CANCELED:
            return job
        if job.terminal:
            raise JobFinished(f"The job has ended ({job.state}); there is nothing left to cancel.")
        _cancel(job)
    return job


def cancel_unfinished_jobs_of(document: Document) -> None:
    unfinished = Job.objects.select_for_update(no_key=True).filter(
        document=document, state__in=states.UNFINISHED
    )
    for job in unfinished.order_by("id"):
        _cancel(job)


def _cancel(job: Job) -> None:
    job.pages.filter(state__in=states.UNFINISHED).update(
        state=states.CANCELED, finished_at=Now(), lease_until=None, wake_again_at=None
    )
    Job.objects.filter(id=job.id).update(state=states.CANCELED, finished_at=Now())
    append_event(job.id, f"job.{states.CANCELED}", {"state": states.CANCELED, "pages_done": job.pages_done})
    job.refresh_from_db()
    _wake_after_commit(job.model_version)


def retry_job(*, identity: Identity, job_id: object, request_id: str = "") -> Job:
    """A new job for the pages that did not succeed. Finished pages are taken over as they are, at no charge.

    While one is under way, asking again gives that one: a double click pays once.
    """
    with unit_of_work(identity.tenant_id):
        # Documents before jobs, as everywhere: an erasure of the document locks in that order too.
        document_id = get_job(job_id).document_id
        if document_id:
            get_document(document_id, for_update=True)
        old = get_job(job_id, for_update=True)
        if not old.terminal:
            raise JobNotFinished(f"The job is still {old.state}; wait for its end, or cancel it first.")
        again = jobs_with_models().filter(retry_of=old, state__in=states.UNFINISHED).first()
        if again is not None:
            return again
        if old.state == states.SUCCEEDED:
            raise NothingToRetry("Every page of this job succeeded; there is nothing to retry.")
        job = _new_job(identity, _still_served(old.model_version), old.parameters)
        job.retry_of, job.document_id, job.input = old, old.document_id, old.input
        job.pages_total, job.price, job.currency = old.pages_total, old.price, old.currency
        job.livemode, job.request_id = old.livemode, request_id
        finished = old.pages.filter(state=states.SUCCEEDED)
        job.pages_succeeded = finished.count()
        open_numbers = (
            old.pages.exclude(state=states.SUCCEEDED).order_by("number").values_list("number", flat=True)
        )
        _insert(job, [Page(number=number) for number in open_numbers])
        _take_over(job, old)
    return job


_TAKE_OVER = """
INSERT INTO jobs_page (id, tenant_id, job_id, model_version_id, number, state, attempt, worker, result, error_code,
                       error_detail, cost_micros, created_at, started_at, finished_at)
SELECT gen_random_uuid(), tenant_id, %(new)s, model_version_id, number, state, 0, worker, result, '', '', 0,
       clock_timestamp(), started_at, finished_at
FROM jobs_page WHERE job_id = %(old)s AND state = 'succeeded'
"""


def _take_over(job: Job, old: Job) -> None:
    """Results stay in the database: a long document's would be hundreds of megabytes on their way."""
    with connections[APP].cursor() as cursor:
        cursor.execute(_TAKE_OVER, {"new": job.id, "old": old.id})


def _still_served(version: ModelVersion) -> ModelVersion:
    """Finished pages and new ones must come from the same version."""
    return resolve(version.key)
