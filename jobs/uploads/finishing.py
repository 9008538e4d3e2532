"""Makes a document of an upload whose bytes are all here: join, inspect (done by the caller), store, record the result.

The process that does this holds a lease. If it dies, it leaves an upload in state `checking`, its pieces, and perhaps
the document. The next process that tries makes the same document, because its bytes are the same.
"""

import errno
from collections.abc import Sequence
from functools import partial
from uuid import UUID

from django.db.models.functions import Now

from jobs.attachments.services import OUTERMOST, take_attachments
from jobs.batches.blobs import Scratch
from jobs.core.errors import StorageUnavailable
from jobs.documents import files
from jobs.documents.reader import DocumentRejected
from jobs.documents.services import StoredDocument, store_document
from jobs.documents.uploads import Upload, UploadWithdrawn
from jobs.uploads.models import ResumableUpload, UploadPiece
from jobs.uploads.receiving import LEASE_S, Lease, renew
from jobs.uploads.services import let_go_of_bytes
from tenants.authentication.selectors import effective_limits
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.leases import row_leases
from tenants.identity.identity import Identity

State = ResumableUpload.State
COPY_BYTES = 1 << 20
keep = renew


class Lost(UploadWithdrawn):
    """The upload was or is being finished by another process, or it was abandoned."""


def claim(tenant_id: UUID, upload_id: UUID) -> Lease | None:
    """Take the lease to finish the upload. Return None if another process is at work, or if nothing is left to do."""
    with unit_of_work(tenant_id):
        free = ResumableUpload.objects.filter(row_leases.FREE, id=upload_id, state=State.CHECKING)
        rows = row_leases.take(free, "jobs_fencing_token", LEASE_S, "lease_token, size_bytes, size_bytes")
    return Lease(tenant_id, upload_id, *rows[0]) if rows else None


def join(turn: Lease, file: Scratch) -> Upload:
    """Copy the whole upload to local disk and compute its digest."""
    with unit_of_work(turn.tenant_id):
        upload = _held(turn)
        pieces = list(UploadPiece.objects.filter(upload_id=turn.upload_id).order_by("start"))
    join_pieces(turn.upload_id, turn.size_bytes, pieces, file)
    return Upload(
        path=file.path,
        sha256=file.finish(),
        size_bytes=file.size_bytes,
        filename=upload.name,
        content_type=upload.content_type,
        counted=True,
    )


def join_pieces(upload_id: UUID, size_bytes: int, pieces: Sequence[UploadPiece], file: Scratch) -> None:
    _check_whole(upload_id, size_bytes, pieces)
    for piece in pieces:
        _copy(piece, file)


def settle(turn: Lease, upload: Upload) -> None:
    """Store the result of the inspection: the upload is ready and has its document, or it is rejected. If the lease is
    lost, nothing is stored.

    The document and the end of its upload are written in one transaction, so that no document appears for an abandoned
    upload.
    """
    with unit_of_work(turn.tenant_id):
        livemode = _held(turn).livemode
    identity = Identity(turn.tenant_id, effective_limits(), frozenset(), livemode=livemode)
    try:
        store_document(identity=identity, upload=upload, along=partial(_mark_ready, turn, identity))
    except DocumentRejected as rejected:
        with unit_of_work(turn.tenant_id):
            _end(
                turn,
                state=State.REJECTED,
                error_code=rejected.code,
                error_detail=rejected.detail,
                document_id=None,
                name="",
                metadata="",
            )


def put_off(turn: Lease, pause_s: float) -> None:
    """Give up the lease, so that another process may try after a pause."""
    with unit_of_work(turn.tenant_id):
        again = row_leases.after(pause_s)
        turn.held(State.CHECKING).update(lease_token=None, lease_until=again)


def _held(turn: Lease) -> ResumableUpload:
    upload = turn.held(State.CHECKING).first()
    if upload is None:
        raise Lost(turn.upload_id)
    return upload


def _check_whole(upload_id: UUID, size_bytes: int, pieces: Sequence[UploadPiece]) -> None:
    """Check that the pieces have no gap and no overlap. The unique start of each piece, and an offset that only grows
    by what is stored, guarantee this.
    """
    reached = 0
    for piece in pieces:
        if piece.start != reached:
            raise AssertionError(f"upload {upload_id} has a gap or an overlap at {reached}")
        reached += piece.size_bytes
    if reached != size_bytes:
        raise AssertionError(f"upload {upload_id} has {reached} bytes of {size_bytes}")


def _copy(piece: UploadPiece, file: Scratch) -> None:
    before = file.size_bytes
    try:
        with files.open_file(piece.name) as source:
            while block := source.read(COPY_BYTES):
                file.write(block)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageUnavailable(
                "Not enough local disk space for this upload. Try again later.",
                code="storage_full",
                gate="disk",
            ) from error
        raise StorageUnavailable("The bytes of this upload cannot be read now. Try again later.") from error
    if file.size_bytes - before != piece.size_bytes:
        raise StorageUnavailable(f"{piece.name} does not contain the stored bytes.")


def _mark_ready(turn: Lease, identity: Identity, stored: StoredDocument) -> None:
    if stored.created:
        take_attachments(identity, stored.document, OUTERMOST)
    _end(turn, state=State.READY, document_id=stored.document.id, duplicate=not stored.created)


def _end(turn: Lease, **values: object) -> None:
    """End the upload, in the transaction that stores its result."""
    if not row_leases.release(turn.held(State.CHECKING), ended_at=Now(), **values):
        raise Lost(turn.upload_id)
    let_go_of_bytes(turn.tenant_id, turn.upload_id)
