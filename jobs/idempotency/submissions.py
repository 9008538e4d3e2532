"""Submissions that may be sent again: there is one job, and its pages are counted once."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from jobs.allowance import pages_paid, require_room_for_job
from jobs.dispatch.admission import require_short_queue
from jobs.documents.reader import Inspection, ReaderUnavailable
from jobs.documents.services import store_document
from jobs.documents.uploads import Upload
from jobs.errors import DocumentDeleted
from jobs.idempotency.keys import Asked, Sent
from jobs.idempotency.once import Answered, Keep, made_before, make_in_steps, make_once
from jobs.models import Job
from jobs.money import require_money_for
from jobs.page_allowance import require_room_for_pages
from jobs.selectors import get_job
from jobs.services import JobRequest, check_model, submit_job
from jobs.webhooks.job_urls import require_room_for_url
from tenants.context import unit_of_work
from tenants.identity import Identity

ACCEPTED, DONE_ALREADY = 202, 200


def submit_once(
    *,
    identity: Identity,
    request: JobRequest,
    key: str | None,
    upload: Upload | None = None,
    document_url: str = "",
) -> Answered[Job]:
    """`upload` is the document that came with the request, or was fetched for it, and is not stored yet."""
    sent = _sent(identity, request, key, upload, document_url)
    if upload is None:
        return make_once(sent, make=lambda: _submitted(identity, request), look=get_job)
    return make_in_steps(
        sent, make=lambda keep: _submitted_with(upload, identity, request, keep), look=get_job
    )


def submitted_before(
    *, identity: Identity, request: JobRequest, key: str | None, document_url: str
) -> Answered[Job] | None:
    """The job of the same request, or None: then all that can be refused without its document has been."""
    earlier = made_before(_sent(identity, request, key, None, document_url), get_job)
    if earlier is None:
        version = check_model(request.model, request.parameters)
        require_short_queue(identity.tenant_id, version, request.priority)
        with unit_of_work(identity):
            require_room_for_job(identity)
            require_room_for_url(request.webhook_url)
    return earlier


def _submitted(identity: Identity, request: JobRequest) -> Answered[Job]:
    job = submit_job(identity=identity, request=request)
    return Answered(job, DONE_ALREADY if job.terminal else ACCEPTED)


def _submitted_with(
    upload: Upload, identity: Identity, request: JobRequest, keep: Keep[Job]
) -> Answered[Job]:
    """Whatever is refused, and be it by the last commit, gives back what was spent for it."""
    with with_document(identity, request, upload) as whole, unit_of_work(identity):
        try:
            first = _submitted(identity, whole)
        except DocumentDeleted:
            # Not what the caller asked for by an id: its own bytes are to be sent once more.
            raise ReaderUnavailable(
                "The document was erased while its job was made. Send it again."
            ) from None
        keep(first)
    return first


def _sent(
    identity: Identity, request: JobRequest, key: str | None, upload: Upload | None, document_url: str
) -> Sent | None:
    if key is None:
        return None
    asked = Asked(
        model=request.model,
        parameters=request.parameters,
        document_id=str(request.document_id) if request.document_id is not None else None,
        content_sha256=upload.sha256 if upload and not document_url else None,
        input=request.input,
        priority=request.priority,
        deadlines=request.deadlines,
        webhook_url=request.webhook_url,
        document_url=document_url,
        livemode=identity.livemode,
    )
    return Sent(identity.tenant_id, "submit_job", key, asked.fingerprint(), identity.livemode)


@contextmanager
def with_document(identity: Identity, request: JobRequest, upload: Upload) -> Iterator[JobRequest]:
    """A new document's pages are counted before it is stored: what is refused leaves nothing behind."""
    version = check_model(request.model, request.parameters)
    identity.require_model(version.served_model.name)
    require_short_queue(identity.tenant_id, version, request.priority)
    pages = upload.inspection.pages_total if isinstance(upload.inspection, Inspection) else None
    with unit_of_work(identity):
        require_room_for_job(identity)
        require_room_for_url(request.webhook_url)
        if pages is not None:
            require_room_for_pages(identity, pages, counts=False)
            require_money_for(identity, version, pages)
    with ExitStack() as paid:
        if pages is not None:
            paid.enter_context(pages_paid(identity, version.served_model.name, pages))
        stored = store_document(identity=identity, upload=upload)
        yield replace(request, document_id=stored.document.id, is_paid=pages is not None)
