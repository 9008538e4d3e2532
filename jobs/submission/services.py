"""Accepts jobs. Each is one transaction, and workers are notified after it."""

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import connections, transaction
from django.db.models.functions import Now

from inference.registry.models import ModelVersion
from inference.registry.selectors import models_reading, resolve
from inference.runtime.inputs_counted import inputs_in
from inference.runtime.parameters import documents_of, mismatch, validate_parameters, validate_work_kind
from inference.runtime.tensor_requests import validate_input
from jobs.attachments.services import OUTERMOST, Nesting, take_attachments
from jobs.charges.money import hold_for, require_money_of
from jobs.class_sets.selectors import chosen_key
from jobs.core import states
from jobs.core.deadlines import FOR_EVER, Deadlines
from jobs.core.errors import DocumentNotAccepted
from jobs.core.metrics import JOBS_ACCEPTED
from jobs.core.models import Document, Job
from jobs.core.priorities import STANDARD
from jobs.documents.selectors import get_document
from jobs.documents.services import note_use
from jobs.events.changes import announce
from jobs.queue.admission import require_short_queue
from jobs.queue.fairness import PAGE_SPACING_S
from jobs.queue.release import release_after_commit
from jobs.results.reuse.accepting import find_known, take_known
from jobs.results.reuse.cache_directives import Wish
from jobs.search.services import index_name
from jobs.submission.allowance import pages_paid, require_room_for_job, require_room_for_pages
from jobs.submission.inputs import input_kind, work_input
from jobs.webhooks.job_urls import taken_url
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity

_FIRST_SEQ = 1
# No other process knows the job yet, so its row need not be locked: it was written with this number. The position of
# its event in the tenant's stream is that of the transaction, by the default of the column, as the row of the job
# stores it.
_WRITE = """
WITH event AS (
    INSERT INTO jobs_event (tenant_id, job_id, seq, type, data, created_at)
    VALUES (%(tenant)s, %(job)s, %(seq)s, 'job.queued', %(data)s::jsonb, clock_timestamp())
)
INSERT INTO jobs_page (id, tenant_id, job_id, model_version_id, number, priority, queue_at, state, attempt, worker,
                       error_code, error_detail, cost_micros)
SELECT id, %(tenant)s, %(job)s, %(version)s, number, %(priority)s,
       statement_timestamp() + make_interval(secs => %(spacing_s)s * (position - 1)), %(queued)s, 0, '', '', '', 0
FROM unnest(%(ids)s::uuid[], %(numbers)s::int[]) WITH ORDINALITY AS page (id, number, position)
"""
_MAX_NAMED = 5


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
    attachments: Nesting | None = OUTERMOST
    """The position of an email whose attachments are read too. With None, they are left out."""
    class_set: str | None = None
    """The tenant's class set that classes the document, with a version or without: `letters`, `letters@3`. With None,
    it is the default set, and with an empty text none."""


def submit_job(*, identity: Identity, request: JobRequest) -> Job:
    """Accept a job and return it. Everything that can be refused is refused here, before any work."""
    require_one_source(request)
    version = resolve(request.model, tenant_id=identity.tenant_id)
    check_request(version, request)
    if not request.is_paid:
        require_short_queue(identity.tenant_id, version, request.priority)
    with ExitStack() as paid, unit_of_work(identity):
        document = request.document
        if document is None and request.document_id is not None:
            document = use_document(request.document_id)
        if document is not None:
            require_readable(identity, version, document.kind)
            identity = identity.acting_on(document)
        job = new_job(identity, version, request.parameters)
        job.document = document
        job.input = request.input
        job.pages_total = document.pages_total if document else 1
        job.request_id, job.cache_control = request.request_id, request.cache_control
        job.priority = request.priority
        job.class_set = class_set_of(request, livemode=job.livemode)
        require_room_for_job(identity)
        require_room_for_pages(identity, job.pages_total)
        bounds = require_money_of(job, job.pages_total)
        # This comes after those checks: it may lock rows that a change of the tenant locks later.
        job.webhook_url = taken_url(identity, request.webhook_url)
        if not request.is_paid:
            paid.enter_context(paid_pages(identity, job, job.pages_total))
        insert(job)
        if request.deadlines.given:
            _set_deadlines(job, request.deadlines)
        begin(job, range(1, job.pages_total + 1))
        hold_for(job, bounds)
        if document is not None:
            take_attachments(identity, document, request.attachments, reading=job, model=version.key)
    return job


def class_set_of(request: JobRequest, *, livemode: bool) -> str:
    """Return the version of the class set that classes the document of the request, or nothing without one."""
    if request.input is None:
        return chosen_key(request.class_set, livemode=livemode)
    if request.class_set:
        raise InvalidRequest("`class_set` classes documents. Send `document` or a file instead of `input`.")
    return ""


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


def check_model(identity: Identity, model: str, parameters: Mapping[str, Any]) -> ModelVersion:
    """Check the model before a document is stored for a job that would be refused."""
    version = resolve(model, tenant_id=identity.tenant_id)
    validate_work_kind(version.runtime, input_kind(None), version.config)
    validate_parameters(version.runtime, parameters, version.config)
    return version


def use_document(document_id: object) -> Document:
    document = get_document(document_id, for_update=True)
    note_use(document)
    return document


def new_job(identity: Identity, version: ModelVersion, parameters: Mapping[str, Any]) -> Job:
    served = version.served_model
    identity.require_model(served.name)
    agreed = identity.prices.of_model(served.name, served.price, served.cached_price, served.review_price)
    return Job(
        id=uuid7(),
        tenant_id=identity.tenant_id,
        model_version=version,
        parameters=dict(parameters),
        price=agreed.price.to_json(),
        cached_price=agreed.cached_price.to_json(),
        review_price=agreed.review_price and agreed.review_price.to_json(),
        currency=agreed.price.currency,
        livemode=identity.livemode,
        api_key_id=identity.key_id,
    )


def paid_pages(identity: Identity, job: Job, pages: int) -> AbstractContextManager[None]:
    version = job.model_version
    inputs = 1
    if job.input is not None and not job.livemode:
        # The inputs are counted only for tests, because they must be read to be counted.
        inputs = inputs_in(version.signature, work_input(job.input))
    return pages_paid(identity, version.served_model.name, pages, inputs=inputs)


def insert(job: Job) -> None:
    job.last_seq = _FIRST_SEQ
    job.save(force_insert=True)
    index_name(job)
    transaction.on_commit(JOBS_ACCEPTED.labels(model=job.model_version.engine_key).inc, using=APP)


def _set_deadlines(job: Job, deadlines: Deadlines) -> None:
    """Set the deadlines by the clock of the database, like every time of the queue."""
    spans = {"expires_at": deadlines.expires_after_s, "cancel_at": deadlines.cancel_after_s}
    Job.objects.filter(id=job.id).update(
        **{name: Now() + timedelta(seconds=seconds) for name, seconds in spans.items() if seconds is not None}
    )
    job.refresh_from_db(fields=list(spans))


def begin(job: Job, numbers: Sequence[int]) -> None:
    """Begin these pages: cached pages are done at once, and workers are notified of the others."""
    taken = find_known(job, numbers)
    cached_numbers = {page.number for page in taken}
    _write_beginning(job, [number for number in numbers if number not in cached_numbers])
    if taken:
        take_known(job, taken)
    if len(taken) < len(numbers):
        wake_after_commit(job.model_version)


def wake_after_commit(version: ModelVersion) -> None:
    transaction.on_commit(partial(release_after_commit, version.id, version.engine_key), using=APP)


def _write_beginning(job: Job, numbers: Sequence[int]) -> None:
    """Write the first event and the pages to run (`numbers`), in the transaction that has written the job."""
    values: dict[str, Any] = {
        "tenant": job.tenant_id,
        "job": job.id,
        "seq": _FIRST_SEQ,
        "data": json.dumps({"state": states.QUEUED, "pages_total": job.pages_total}),
        "version": job.model_version_id,
        "priority": job.priority,
        "spacing_s": PAGE_SPACING_S,
        "queued": states.QUEUED,
        "ids": [uuid7() for _ in numbers],
        "numbers": list(numbers),
    }
    with connections[APP].cursor() as cursor:
        cursor.execute(_WRITE, values)
    transaction.on_commit(partial(announce, job.tenant_id, job.id), using=APP)


def require_readable(identity: Identity, version: ModelVersion, kind: str) -> None:
    """Raise DocumentNotAccepted if no page of this kind is readable by the model, which takes documents."""
    readable = documents_of(version.runtime, version.config)
    if kind in readable:
        return
    others = [
        other for other in models_reading(kind, identity.tenant_id) if not identity.models or other in identity.models
    ]
    instead = (
        f"Use {' or '.join(others[:_MAX_NAMED])}." if others else "No available model reads this kind of document."
    )
    raise DocumentNotAccepted(f"{mismatch(version.served_model.name, readable, kind)} {instead}")
