"""Reads of documents and their pages, inside a unit of work, and what remains of erased documents and jobs."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connections
from django.db.models import QuerySet

from jobs.core.errors import DocumentDeleted
from jobs.core.models import Document, DocumentPage, ErasedReason, Job
from tenants.core.db.unit_of_work import APP, current_tenant_id, every_mode
from tenants.core.errors import NotFound
from tenants.core.ids import as_uuid
from tenants.core.times import rfc3339


def erased_words(what: str, its_id: UUID, moment: datetime, reason: str) -> str:
    """Return the message about an erased object. An empty `reason` is a request, from before reasons were stored."""
    why = ErasedReason(reason or ErasedReason.REQUEST).label
    return f"The {what} {its_id} was erased on {moment.astimezone(UTC):%Y-%m-%d at %H:%M} UTC, {why}."


def why_erased(moment: datetime, reason: str) -> dict[str, object]:
    return {"erased_at": rfc3339(moment), "erased_reason": reason or ErasedReason.REQUEST.value}


def tombstone(job: Job) -> dict[str, object]:
    """Return what is left of an erased job, under the field names that `GET /v1/jobs/{id}` used."""
    assert job.erased_at is not None
    return {
        **why_erased(job.erased_at, job.erased_reason),
        "job": {
            "id": str(job.id),
            "state": job.state,
            "model": job.model_version.key,
            "pages_total": job.pages_total,
            "pages_succeeded": job.pages_succeeded,
            "pages_failed": job.pages_failed,
            "cost_micros": job.cost_micros,
            "currency": job.currency,
            "livemode": job.livemode,
            "created_at": rfc3339(job.created_at),
            "finished_at": rfc3339(job.finished_at) if job.finished_at else None,
        },
    }


_LIVE = "SELECT 1 FROM jobs_document WHERE tenant_id = %(tenant)s AND sha256 = %(sha256)s AND deleted_at IS NULL"
_LIVE_OF_MODE = f"{_LIVE} AND livemode = %(mode)s"


def get_document(document_id: object, *, for_update: bool = False) -> Document:
    """Return a document. Raises NotFound for an unknown or foreign one, DocumentDeleted if it was the caller's own.

    The lock leaves out the row's key: a job that refers to a locked document can still be written.
    """
    wanted = as_uuid(document_id)
    documents = Document.objects.select_for_update(no_key=True) if for_update else Document.objects.all()
    document = documents.filter(id=wanted).first() if wanted else None
    if document is None:
        raise NotFound(f"There is no document {str(document_id)[:60]!r}.")
    if document.deleted_at is not None:
        message = erased_words("document", document.id, document.deleted_at, document.deleted_reason)
        raise DocumentDeleted(message, extra=why_erased(document.deleted_at, document.deleted_reason))
    return document


def live_document_with(sha256: str, *, livemode: bool, for_update: bool = False) -> Document | None:
    """Return the document with these bytes that is not erased. Test and live keys have separate documents."""
    if not bytes_are_here(sha256, livemode=livemode):
        return None
    found = live_documents().filter(sha256=sha256, livemode=livemode)
    return (found.select_for_update(no_key=True) if for_update else found).first()


def bytes_are_here(sha256: str, *, livemode: bool | None = None) -> bool:
    """Return whether a document has these bytes, in the given mode or, with None, in any mode. It is called for each
    upload and rarely finds one, so it is fast.
    """
    values: dict[str, Any] = {"tenant": current_tenant_id(), "sha256": sha256, "mode": livemode}
    with connections[APP].cursor() as cursor:
        cursor.execute(_LIVE if livemode is None else _LIVE_OF_MODE, values)
        return cursor.fetchone() is not None


def live_twin_of(sha256: str) -> Document | None:
    """Return a document with the same bytes that is not erased, in either mode. It has been inspected already."""
    with every_mode():
        return live_documents().filter(sha256=sha256).first()


def live_documents() -> "QuerySet[Document]":
    return Document.objects.filter(deleted_at=None).order_by("-id")


def get_page(document_id: object, number: int) -> DocumentPage:
    document = get_document(document_id)
    page = document.pages.filter(number=number).first()
    if page is None:
        raise NotFound(
            f"Page {number} of this document has no image yet. Images are created when a job reads the page."
        )
    return page
