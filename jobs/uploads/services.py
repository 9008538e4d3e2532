"""Creates uploads that come in pieces, and terminates them."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Sum
from django.db.models.functions import Now

from inference.registry.model_limits import limits_of
from jobs.documents import erasure
from jobs.documents.reader import DocumentRejected
from jobs.idempotency.models import IdempotencyKey
from jobs.uploads.decisions import GONE
from jobs.uploads.errors import TooManyUploads, UploadGone
from jobs.uploads.models import ResumableUpload
from jobs.uploads.protocol import Announced
from jobs.uploads.receiving import Lease
from jobs.uploads.selectors import get_upload
from tenants.core.db.tenant_owned import lock_tenant
from tenants.core.db.unit_of_work import APP, every_mode, unit_of_work
from tenants.identity.identity import Identity
from tenants.limits.quota.capacity import require_kept_within

State = ResumableUpload.State
OPEN = (State.RECEIVING, State.CHECKING)


def create_upload(*, identity: Identity, announced: Announced) -> ResumableUpload:
    """Create an upload. All its bytes count against the limits from now on, so that an upload that was begun can also
    be finished.
    """
    _check_size(announced, identity.tenant_id)
    with unit_of_work(identity):
        # Two requests that create uploads wait for each other. Otherwise both would find the last slot free.
        lock_tenant(identity.tenant_id)
        _check_room(announced.size_bytes)
        upload = ResumableUpload(
            tenant_id=identity.tenant_id,
            name=announced.name,
            content_type=announced.content_type,
            metadata=announced.metadata,
            purpose=announced.purpose,
            size_bytes=announced.size_bytes,
            livemode=identity.livemode,
            expires_at=Now() + timedelta(seconds=settings.MAAS_UPLOAD_EXPIRES_S),
        )
        upload.save(force_insert=True)
        require_kept_within(identity.tenant_id, upload.size_bytes)
        return get_upload(upload.id)


def terminate_upload(*, identity: Identity, upload_id: object) -> None:
    """Erase the bytes of the upload. If it has become a document, the document stays."""
    with unit_of_work(identity):
        upload = get_upload(upload_id)
        locked = ResumableUpload.objects.select_for_update(no_key=True).get(id=upload.id)
        if locked.state in GONE:
            raise UploadGone(f"This upload is already {locked.state}.", extra={"state": locked.state})
        end_upload(locked, State.TERMINATED)


def withdraw_upload(turn: Lease) -> None:
    """Remove the upload as if neither it nor its idempotency key had ever been sent, unless another request holds it by
    now.
    """
    with unit_of_work(turn.tenant_id):
        upload = turn.held(State.RECEIVING).select_for_update().first()
        if upload is None:
            return
        let_go_of_bytes(upload.tenant_id, upload.id)
        # There is no index on what a key made. The creation time leaves few rows to search.
        IdempotencyKey.objects.filter(created_at__gte=upload.created_at, made_id=upload.id).delete()
        upload.delete()


def end_upload(upload: ResumableUpload, state: str) -> None:
    """End the upload, in the tenant's unit of work and on a locked row. A process that still works on it loses its
    fencing token.

    An upload that has become a document keeps its name as long as the document does; see jobs/retention/erasing.py.
    """
    upload.state, upload.ended_at = state, Now()
    if upload.document_id is None:
        upload.name = upload.metadata = ""
    upload.lease_token = upload.lease_until = None
    upload.save()
    let_go_of_bytes(upload.tenant_id, upload.id)


def let_go_of_bytes(tenant_id: UUID, upload_id: UUID) -> None:
    """Release the bytes of the upload, in the transaction that ends it. Rows are deleted in it, and files by an erasure
    order of it.
    """
    pieces = ResumableUpload(id=upload_id).pieces.all()
    names = list(pieces.values_list("name", flat=True))
    pieces.delete()
    erase_after_commit(tenant_id, names)


def erase_after_commit(tenant_id: UUID, names: Sequence[str]) -> None:
    erasure.order(names)
    transaction.on_commit(lambda: erasure.carry_out_now(tenant_id, names), using=APP, robust=True)


def _check_size(announced: Announced, tenant_id: UUID) -> None:
    size_bytes = announced.size_bytes
    if size_bytes == 0:
        raise DocumentRejected("document_empty", "The file is empty. Upload a file with content.")
    of_model = announced.purpose == ResumableUpload.Purpose.MODEL
    most = limits_of(tenant_id).file_bytes if of_model else settings.MAAS_MAX_RESUMABLE_BYTES
    if size_bytes > most:
        raise DocumentRejected(
            "document_too_large", f"The file has {size_bytes} bytes, but at most {most} are allowed."
        )


def _check_room(size_bytes: int) -> None:
    with every_mode():
        opened = ResumableUpload.objects.filter(state__in=OPEN)
        held = opened.aggregate(count=Count("id"), size=Sum("size_bytes"))
    if held["count"] >= settings.MAAS_MAX_OPEN_UPLOADS:
        raise TooManyUploads(
            f"This account has {held['count']} unfinished uploads, the maximum. Finish or delete some.",
            extra={"retry_after_s": 60},
        )
    left = settings.MAAS_MAX_OPEN_UPLOADS_BYTES - (held["size"] or 0)
    if size_bytes > left:
        raise TooManyUploads(
            f"Unfinished uploads of this account leave {max(0, left)} bytes, but this upload has {size_bytes}. "
            "Finish or delete some.",
            extra={"retry_after_s": 60},
        )
