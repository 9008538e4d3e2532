"""Writes to stored files and batches that callers request. Each write is one transaction, and workers are notified
after it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction

from inference.registry.selectors import find_version
from jobs.batches import blobs, states
from jobs.batches.errors import BatchFinished, FileInUse, TooManyBatches, TooManyFiles
from jobs.batches.ids import BATCH, FILE, shown
from jobs.batches.line_parsing import is_endpoint, model_of_endpoint
from jobs.batches.models import Batch, BatchTask, StoredFile
from jobs.batches.notification import ring
from jobs.batches.selectors import get_batch, get_file, kept_bytes, unfinished_batches
from jobs.batches.settlement import end_early, lives_for
from jobs.documents import erasure
from jobs.documents.names import safe_name
from jobs.documents.uploads import Upload
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import APP, every_mode, unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity
from tenants.limits.quota.capacity import require_kept_within, require_room_for_bytes
from tenants.limits.rates.free_day import free_day
from tenants.plans.retention import retention_for

WINDOW = timedelta(hours=24)
MAX_UNFINISHED = 100
"""The number of unfinished batches of one tenant."""
AGAIN_S = 60


@dataclass(frozen=True)
class BatchRequest:
    input_file_id: str
    endpoint: str
    metadata: Mapping[str, str] | None = None
    output_lives_s: int | None = None
    request_id: str = ""


def store_file(
    *,
    identity: Identity,
    upload: Upload,
    lives_s: int | None = None,
    also: Callable[[StoredFile], None] | None = None,
) -> StoredFile:
    """Store a file first on disk and then in the database, so that a row never points at nothing.

    `also` writes what else belongs to the file, in the same transaction.
    """
    with unit_of_work(identity):
        now = database_now()
        days = retention_for(identity.tenant_id).documents(livemode=identity.livemode)
    file_id = uuid7()
    stored = StoredFile(
        id=file_id,
        tenant_id=identity.tenant_id,
        name=safe_name(upload.filename),
        purpose=StoredFile.Purpose.BATCH,
        size_bytes=upload.size_bytes,
        sha256=upload.sha256,
        file=blobs.stored_name(identity.tenant_id, file_id, upload.sha256),
        livemode=identity.livemode,
        created_at=now,
        expires_at=now + lives_for(lives_s, days=days),
    )
    # This is checked before the file is copied, and again when other requests may have sent theirs.
    with unit_of_work(identity):
        _check_room(stored)
        require_room_for_bytes(identity.tenant_id, stored.size_bytes)
    blobs.save(identity.tenant_id, stored.file, Path(upload.path))
    with unit_of_work(identity):
        _one_at_a_time("files", identity.tenant_id)
        _check_room(stored)
        erasure.withdraw(stored.file)
        stored.save(force_insert=True)
        if also:
            also(stored)
        require_kept_within(identity.tenant_id, stored.size_bytes)
    return stored


def delete_file(*, identity: Identity, file_id: object) -> StoredFile:
    with unit_of_work(identity):
        stored = get_file(file_id, for_update=True)
        user = unfinished_batches().filter(input_file_id=stored.id).first()
        if user is not None:
            raise FileInUse(
                f"The file is the input of {shown(BATCH, user.id)}, which is {user.status}. Cancel that batch "
                "or wait until it is finished."
            )
        erase_file(stored)
        name = stored.file
        # An error here is ignored: by then the file is gone from every list, and the scheduler handles what is left of
        # it.
        transaction.on_commit(lambda: erasure.carry_out_now(identity.tenant_id, [name]), using=APP, robust=True)
    return stored


def erase_file(stored: StoredFile) -> None:
    """Delete a file. The caller holds the lock of the row."""
    erasure.order([stored.file])
    StoredFile.objects.filter(id=stored.id).delete()


def create_batch(*, identity: Identity, request: BatchRequest) -> Batch:
    """Create a batch. Only the request itself is refused here; a worker reads the content of the file."""
    _check_endpoint(identity, request.endpoint)
    with unit_of_work(identity):
        now = database_now()
        given = get_file(request.input_file_id, for_update=True)
        _check_is_input(given, now)
        if not given.livemode:
            # The number of its lines is not known yet: the check of the file counts them.
            free_day().require_some(identity.tenant_id, "calls")
        _one_at_a_time("batches", identity.tenant_id)
        with every_mode():
            unfinished = unfinished_batches().count()
        if unfinished >= MAX_UNFINISHED:
            raise TooManyBatches(
                f"{MAX_UNFINISHED} batches of this account are unfinished, the maximum. Wait for one or cancel one.",
                extra={"retry_after_s": AGAIN_S},
            )
        batch = Batch(
            id=uuid7(),
            tenant_id=identity.tenant_id,
            endpoint=request.endpoint,
            input_file_id=given.id,
            output_lives_s=request.output_lives_s,
            metadata=None if request.metadata is None else dict(request.metadata),
            livemode=given.livemode,
            api_key_id=identity.key_id,
            request_id=request.request_id,
            created_at=now,
            expires_at=now + WINDOW,
        )
        batch.save(force_insert=True)
        BatchTask.objects.create(tenant_id=batch.tenant_id, batch=batch, number=0, kind=states.VALIDATE)
        transaction.on_commit(ring, using=APP, robust=True)
    return batch


def cancel_batch(*, identity: Identity, batch_id: object) -> Batch:
    """Cancel a batch. This takes effect at once: no further line is begun. What was done is kept and paid for."""
    with unit_of_work(identity):
        batch = get_batch(batch_id, for_update=True)
        if batch.status in (states.CANCELLING, states.CANCELLED):
            return batch
        if batch.status not in states.CANCELLABLE or batch.ending:
            raise BatchFinished(f"Cannot cancel a batch with status '{batch.status}'.")
        batch.cancelling_at = database_now()
        end_early(batch, states.CANCELLED)
        transaction.on_commit(ring, using=APP, robust=True)
    return batch


def _check_endpoint(identity: Identity, endpoint: str) -> None:
    if not is_endpoint(endpoint):
        raise InvalidRequest(
            f"'endpoint' is {endpoint[:80]!r}. Use '/v1/embeddings' or '/v2/models/MODEL/infer'.",
            extra={"param": "endpoint"},
        )
    model = model_of_endpoint(endpoint)
    if model is not None:
        find_version(model, tenant_id=identity.tenant_id)


def _check_is_input(given: StoredFile, now: datetime) -> None:
    if given.purpose != StoredFile.Purpose.BATCH:
        raise InvalidRequest(
            f"The file {shown(FILE, given.id)} has the purpose '{given.purpose}'. Use a file with the purpose 'batch'.",
            extra={"param": "input_file_id"},
        )
    if given.expires_at is not None and given.expires_at <= now:
        raise InvalidRequest(
            f"The file {shown(FILE, given.id)} has expired. Upload it again.",
            extra={"param": "input_file_id"},
        )


def _one_at_a_time(what: str, tenant_id: UUID) -> None:
    """Lock these writes of a tenant until the transaction ends, so that two at once are not both the last that fits."""
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"{what} of {tenant_id}"])


def _check_room(stored: StoredFile) -> None:
    with every_mode():
        kept, held = StoredFile.objects.count(), kept_bytes()
    if kept >= settings.MAAS_MAX_FILES:
        raise TooManyFiles(
            f"This account has {kept} files, but at most {settings.MAAS_MAX_FILES} are allowed. Delete some."
        )
    if held + stored.size_bytes > settings.MAAS_MAX_FILES_BYTES:
        raise TooManyFiles(
            f"The files of this account have {held} bytes. With this file they would exceed the limit of "
            f"{settings.MAAS_MAX_FILES_BYTES} bytes. Delete some."
        )
