"""Erases documents: alone, or with all that was read from them."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models.functions import Now

from jobs.attachments.erasing import forget_attachments, locked_attachments
from jobs.attachments.selectors import erased_with
from jobs.charges.money import settle_ended
from jobs.core.errors import DocumentDeleted, ErasureIncomplete, JobErased
from jobs.core.metrics import ERASED
from jobs.core.models import Document, ErasedReason, Job, Page
from jobs.documents import erasure
from jobs.documents.selectors import get_document
from jobs.retention.erasing import erase_job, forget_name
from jobs.submission.cancellations import cancel_unfinished_jobs_of
from tenants.audit.services import record
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.identity.identity import Identity

log = structlog.get_logger(__name__)


def forget_results_of(document: Document) -> None:
    """Remove a document's results from the cache as it is erased. Copies under another document stay."""
    Page.objects.filter(job__document=document, cache_key__isnull=False).update(cache_key=None)


def delete_document(
    *,
    identity: Identity,
    document_id: object,
    deadline: erasure.Deadline | None = None,
    reason: ErasedReason = ErasedReason.REQUEST,
) -> None:
    """Cancel the document's unfinished jobs, then erase its file and pictures, within the request's `deadline`.

    The attachments of an email are erased with it, unless they were also sent by themselves or with another email.
    """
    with unit_of_work(identity):
        document = get_document(document_id, for_update=True)
        canceled = []
        for erased in [document, *locked_attachments(document)]:
            canceled += cancel_unfinished_jobs_of(erased)
            erase_locked(erased, reason, deadline)
        if reason == ErasedReason.REQUEST:
            # The record contains only the id: the name of the document is erased as well, while the record stays.
            record(tenant_id=identity.tenant_id, action="document.deleted", subject_id=document.id)
        settle_ended(canceled)


def _log_document(document: Document, reason: ErasedReason) -> None:
    """Log the erasure with ids only. An older backup that is restored lacks the erasure, but the log has it."""
    ERASED.labels(kind="document", reason=reason.value).inc()
    ids = {"document_id": str(document.id), "tenant_id": str(document.tenant_id)}
    log.info("document_erased", **ids, reason=reason.value)


def erase_locked(document: Document, reason: ErasedReason, deadline: erasure.Deadline | None = None) -> None:
    """Erase a document that no unfinished job uses, inside the unit of work that locked its row."""
    names = [document.file, *document.pages.exclude(picture="").values_list("picture", flat=True)]
    document.pages.all().delete()
    forget_results_of(document)
    forget_attachments(document)
    Document.objects.filter(id=document.id).update(deleted_at=Now(), deleted_reason=reason)
    document.refresh_from_db(fields=["deleted_at", "deleted_reason"])
    forget_name(document)
    erasure.order(names)
    transaction.on_commit(partial(_log_document, document, reason), using=APP)
    # An error here is ignored: by then the document is gone, and the scheduler handles what is left of it.
    transaction.on_commit(lambda: erasure.carry_out_now(document.tenant_id, names, deadline), using=APP, robust=True)


MAX_JOBS = 500
"""The number of jobs in one request. Each of them is a transaction of its own."""


def erase_document_and_jobs(
    *, identity: Identity, document_id: object, reason: ErasedReason = ErasedReason.REQUEST
) -> int:
    """Erase a document and its jobs, repeatably, and return how many. Raises DocumentDeleted if none is left."""
    deleted_before: DocumentDeleted | None = None
    try:
        delete_document(identity=identity, document_id=document_id, reason=reason)
    except DocumentDeleted as gone:
        deleted_before = gone
    erased = sum(_erased(identity, job_id, reason) for job_id in _jobs_of(identity, UUID(str(document_id))))
    if deleted_before is not None and not erased:
        raise deleted_before
    return erased


def _jobs_of(identity: Identity, document_id: UUID) -> Iterator[UUID]:
    """Yield the jobs of an erased document and of the attachments that were erased with it. They have ended, because
    the erasure canceled them, and none can begin.
    """
    with unit_of_work(identity):
        gone = [document_id, *erased_with(document_id)]
        kept = Job.objects.filter(document_id__in=gone, erased_at=None).order_by("id")
        found = list(kept.values_list("id", flat=True)[: MAX_JOBS + 1])
    yield from found[:MAX_JOBS]
    if len(found) > MAX_JOBS:
        raise ErasureIncomplete(
            f"The document and {MAX_JOBS} of its jobs were erased. Send this again to erase the remaining jobs."
        )


def _erased(identity: Identity, job_id: UUID, reason: ErasedReason) -> int:
    with suppress(JobErased):
        erase_job(identity=identity, job_id=job_id, reason=reason)
        return 1
    return 0
