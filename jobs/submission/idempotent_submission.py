"""Submissions that may be sent again: there is only one job, and its pages are counted once."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

from jobs.charges.money import require_money_for
from jobs.core.models import Job
from jobs.documents.job_selectors import get_job
from jobs.documents.reader import Inspection
from jobs.documents.services import StoredDocument, store_document
from jobs.documents.uploads import Upload
from jobs.idempotency.holds import Hold
from jobs.idempotency.idempotent_requests import Answered, Keep, hold, made_before, make_in_steps, make_once
from jobs.idempotency.keys import KeyedRequest, Sent
from jobs.queue.admission import require_short_queue
from jobs.submission.allowance import pages_paid, require_room_for_job, require_room_for_pages
from jobs.submission.services import JobRequest, check_model, class_set_of, require_readable, submit_job
from jobs.webhooks.job_urls import require_room_for_url
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity

ACCEPTED, DONE_ALREADY = 202, 200


def submit_once(
    *,
    identity: Identity,
    request: JobRequest,
    key: str | None,
    upload: Upload | None = None,
    document_url: str = "",
) -> Answered[Job]:
    """Submit a job, or return that of the same request. `upload` came with it or was fetched, and is not stored."""
    sent = _sent(identity, request, key, upload, document_url)
    if upload is None:
        return make_once(sent, make=lambda: _submitted(identity, request), look=get_job)
    return make_in_steps(sent, make=lambda keep: _submitted_with(upload, identity, request, keep), look=get_job)


def submitted_before(
    *, identity: Identity, request: JobRequest, key: str | None, document_url: str
) -> Answered[Job] | None:
    """Return the job that the same request created earlier, or None. All checks that do not need the document are done
    before.
    """
    earlier = made_before(_sent(identity, request, key, None, document_url), get_job)
    if earlier is None:
        version = check_model(identity, request.model, request.parameters)
        require_short_queue(identity.tenant_id, version, request.priority)
        with unit_of_work(identity):
            class_set_of(request, livemode=identity.livemode)
            require_room_for_job(identity)
            require_room_for_url(request.webhook_url)
    return earlier


def hold_submission(*, identity: Identity, request: JobRequest, key: str | None, document_url: str) -> Hold | None:
    """Hold the idempotency key of a submission while its document is fetched."""
    return hold(_sent(identity, request, key, None, document_url))


def _submitted(identity: Identity, request: JobRequest) -> Answered[Job]:
    job = submit_job(identity=identity, request=request)
    return Answered(job, DONE_ALREADY if job.terminal else ACCEPTED)


def _submitted_with(upload: Upload, identity: Identity, request: JobRequest, keep: Keep[Job]) -> Answered[Job]:
    made: list[Answered[Job]] = []

    def submit(whole: JobRequest) -> None:
        made.append(_submitted(identity, whole))
        keep(made[-1])

    submit_with_document(identity, request, upload, submit)
    return made[-1]


def _sent(
    identity: Identity, request: JobRequest, key: str | None, upload: Upload | None, document_url: str
) -> Sent | None:
    if key is None:
        return None
    keyed = KeyedRequest(
        model=request.model,
        parameters=request.parameters,
        document_id=str(request.document_id) if request.document_id is not None else None,
        content_sha256=upload.sha256 if upload and not document_url else None,
        input=request.input,
        priority=request.priority,
        deadlines=request.deadlines,
        webhook_url=request.webhook_url,
        document_url=document_url,
        attachments=request.attachments is not None,
        class_set=request.class_set,
        livemode=identity.livemode,
    )
    hold_id = upload.hold_id if upload else None
    return Sent(identity.tenant_id, "submit_job", key, keyed.fingerprint(), identity.livemode, hold_id)


def submit_with_document(
    identity: Identity, request: JobRequest, upload: Upload, submit: Callable[[JobRequest], None]
) -> None:
    """Store a new document and its job in one transaction, after their cost: a refusal leaves nothing behind.

    `submit` is called with the request and its document inside the unit of work, again if that begins again.
    """
    version = check_model(identity, request.model, request.parameters)
    identity.require_model(version.served_model.name)
    require_short_queue(identity.tenant_id, version, request.priority)
    pages = None
    if isinstance(upload.inspection, Inspection):
        require_readable(identity, version, upload.inspection.kind)
        pages = upload.inspection.pages_total

    def ask() -> None:
        class_set_of(request, livemode=identity.livemode)
        require_room_for_job(identity, counts=False)
        require_room_for_url(request.webhook_url)
        if pages is not None:
            require_room_for_pages(identity, pages, counts=False)
            require_money_for(identity, version, pages)
            paid.enter_context(pages_paid(identity, version.served_model.name, pages))

    def submit_of(stored: StoredDocument) -> None:
        submit(replace(request, document=stored.document, is_paid=pages is not None))

    with ExitStack() as paid:
        store_document(identity=identity, upload=upload, before=ask, along=submit_of)
