"""Writes to documents: store what was uploaded, and erase the file of an upload that loses or is undone."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import psycopg
import structlog
from django.db import IntegrityError
from django.db.models.functions import Now

from jobs.core.models import Document
from jobs.documents import erasure, files
from jobs.documents.names import safe_name
from jobs.documents.reader import DocumentRejected, Inspection, ReaderUnavailable
from jobs.documents.selectors import live_document_with, live_twin_of
from jobs.documents.uploads import Upload, UploadWithdrawn
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity
from tenants.limits.quota.capacity import require_kept_within, require_room_for_bytes

log = structlog.get_logger(__name__)
TO_THE = timedelta(hours=1)
"""The time in which a use is noted only once. A thousand jobs on one document write its row once."""


def note_use(document: Document) -> None:
    Document.objects.filter(id=document.id, used_at__lt=Now() - TO_THE).update(used_at=Now())


SAME_BYTES = "jobs_document_same_bytes_mode"
"""The constraint that fails when two uploads have the same bytes."""
MAX_TRIES = 5
"""The tries of an upload: a row that won against it may be erased before it is read."""


@dataclass(frozen=True)
class StoredDocument:
    document: Document
    created: bool
    """Set to False if exactly these bytes were stored already."""


Along = Callable[[StoredDocument], None]
"""A function that writes in the transaction of the document. UploadWithdrawn undoes that transaction."""


def store_document(
    *,
    identity: Identity,
    upload: Upload,
    before: Callable[[], None] | None = None,
    along: Along | None = None,
) -> StoredDocument:
    """Store an inspected upload: first the file, then the row, so that no row points at nothing.

    `before` may refuse it: it is called once, in a transaction, while nothing is written.
    """
    for _ in range(MAX_TRIES):
        with unit_of_work(identity):
            if before is not None:
                before()
                before = None
            # If `along` is to write about the document, the lock on its row keeps it from being erased in the meantime.
            existing = live_document_with(upload.sha256, livemode=identity.livemode, for_update=along is not None)
            if existing is not None:
                note_use(existing)
                if upload.mail_id is None and existing.mail_id is not None:
                    Document.objects.filter(id=existing.id).update(mail_id=None)
                stored = StoredDocument(existing, created=False)
                if along is not None:
                    along(stored)
                return stored
            require_room_for_bytes(identity.tenant_id, upload.more_bytes)
            document = _new_document(identity, upload)
            erasure.order([document.file], due_in=erasure.time_to_keep(upload.size_bytes))
        if _insert(document, upload, along):
            return StoredDocument(document, created=True)
    raise ReaderUnavailable("The document was sent and erased many times at once. Send it again.")


def _new_document(identity: Identity, upload: Upload) -> Document:
    inspection = found_in(upload)
    check_against(identity, inspection)
    document = Document(
        id=uuid7(),
        tenant_id=identity.tenant_id,
        name=safe_name(upload.filename),
        sha256=upload.sha256,
        size_bytes=upload.size_bytes,
        content_type=inspection.content_type,
        kind=inspection.kind,
        pages_total=inspection.pages_total,
        attachments_total=inspection.attachments_total,
        mail_id=upload.mail_id,
        livemode=identity.livemode,
    )
    document.file = files.original_name(document.tenant_id, document.id, document.sha256)
    return document


def _insert(document: Document, upload: Upload, along: Along | None) -> bool:
    """Store the file and insert the row. If another upload of the same bytes was faster, erase the file and return
    False.
    """
    files.save_file(document.file, upload.path)
    try:
        with unit_of_work(document.tenant_id):
            erasure.withdraw(document.file)
            document.save(force_insert=True)
            if along is not None:
                along(StoredDocument(document, created=True))
            require_kept_within(document.tenant_id, upload.more_bytes)
    except (IntegrityError, UploadWithdrawn, DomainError) as undone:
        erasure.carry_out_now(document.tenant_id, [document.file])
        if not _is_there_already(undone):
            raise
        return False
    return True


def _is_there_already(undone: Exception) -> bool:
    cause = undone.__cause__
    return isinstance(cause, psycopg.IntegrityError) and cause.diag.constraint_name == SAME_BYTES


def found_in(upload: Upload) -> Inspection | Document:
    """Return what was found in the upload. Call this inside a unit of work."""
    match upload.inspection:
        case DocumentRejected() as rejected:
            raise rejected
        case None:
            twin = live_twin_of(upload.sha256)
            if twin is None:
                # These bytes were known when they arrived, and were erased since. Inspecting them here would hold a
                # thread that other requests need.
                raise ReaderUnavailable("The document was erased while it was sent once more. Send it again.")
            return twin
        case inspection:
            return inspection


def check_against(identity: Identity, inspection: Inspection | Document) -> None:
    limit = identity.limits.document_pages
    if inspection.pages_total > limit:
        raise DocumentRejected(
            "too_many_pages",
            f"The document has {inspection.pages_total} pages, but at most {limit} are allowed. Split it.",
        )
