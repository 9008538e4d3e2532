"""The file of a model that came as a resumable upload. Its pieces stay in storage until a model is made of it, or until
the upload expires.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db.models import F
from django.db.models.functions import Now

from jobs.batches.blobs import scratch
from jobs.uploads.decisions import why_no_model
from jobs.uploads.finishing import join_pieces
from jobs.uploads.models import ResumableUpload, UploadPiece
from jobs.uploads.selectors import get_upload, seen
from jobs.uploads.services import let_go_of_bytes
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError
from tenants.identity.identity import Identity

State = ResumableUpload.State


@contextmanager
def opened_model(identity: Identity, upload_id: str) -> Iterator[Path]:
    """Yield the whole file on local disk. Raises NotFound, or the reason if no model can be made of the upload."""
    with unit_of_work(identity):
        upload = _usable(upload_id)
        pieces = list(UploadPiece.objects.filter(upload_id=upload.id).order_by("start"))
    with scratch() as file:
        try:
            join_pieces(upload.id, upload.size_bytes, pieces, file)
        except DomainError:
            # Another request may have used or ended the upload meanwhile, and erased its pieces.
            with unit_of_work(identity):
                _usable(upload_id)
            raise
        file.finish()
        yield file.path


def use_up(upload_id: str) -> None:
    """End the upload, in the transaction that stores the model. Raises the reason if it was used or ended since."""
    upload = get_upload(upload_id)
    whole = ResumableUpload.objects.filter(
        id=upload.id,
        purpose=ResumableUpload.Purpose.MODEL,
        state=State.RECEIVING,
        offset_bytes=F("size_bytes"),
        expires_at__gt=Now(),
    )
    if not whole.update(state=State.READY, ended_at=Now(), name="", metadata="", lease_token=None, lease_until=None):
        raise why_no_model(seen(get_upload(upload_id))) or AssertionError(f"upload {upload.id} is usable")
    let_go_of_bytes(upload.tenant_id, upload.id)


def _usable(upload_id: str) -> ResumableUpload:
    upload = get_upload(upload_id)
    refusal = why_no_model(seen(upload))
    if refusal is not None:
        raise refusal
    return upload
