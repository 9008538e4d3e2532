"""The scheduler's work for uploads: it finishes those whose web process died, and ends those that nobody continues."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import structlog
from django.db import close_old_connections
from django.db.models import Q
from django.db.models.functions import Now

from inference.core.calls import Call
from jobs.batches.blobs import scratch
from jobs.documents.reader import DocumentRejected, Inspection, ReaderUnavailable
from jobs.documents.reading import reader
from jobs.documents.uploads import Upload
from jobs.uploads import finishing
from jobs.uploads.models import ResumableUpload
from jobs.uploads.receiving import LEASE_S, Lease
from jobs.uploads.services import OPEN, State, end_upload
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.errors import DomainError
from tenants.core.leases.row_leases import FREE
from tenants.plans.retention import test_days_within

log = structlog.get_logger(__name__)
ANY_STRANDED = """EXISTS (
    SELECT FROM jobs_resumableupload WHERE state = 'checking' AND expires_at > statement_timestamp()
      AND (lease_until IS NULL OR lease_until <= statement_timestamp())
)"""
MOST = 50
KEPT_DAYS = 30
"""Days after its end for which an upload can be read. After that its id is unknown."""
MAX_FORGOTTEN = 5_000
PAUSE_S = 10.0
"""Seconds after a failed try, for example because the storage is unavailable."""


def finish_stranded_uploads() -> int:
    """Finish stranded uploads, oldest first, and return how many were tried. Uploads that another process is trying are
    skipped.
    """
    with operator_work():
        waiting = ResumableUpload.objects.filter(FREE, state=State.CHECKING, expires_at__gt=Now())
        found = list(waiting.order_by("id").values_list("tenant_id", "id")[:MOST])
    tried = 0
    for tenant_id, upload_id in found:
        turn = finishing.claim(tenant_id, upload_id)
        if turn is not None:
            _finish(turn)
            tried += 1
    return tried


def expire_uploads() -> int:
    """Expire uploads and return how many. An upload that was still being checked expired because the storage failed all
    that time.
    """
    with operator_work():
        late = ResumableUpload.objects.filter(FREE, state__in=OPEN, expires_at__lte=Now())
        found = list(late.values_list("tenant_id", "id")[:MOST])
    return sum(_expire(tenant_id, upload_id) for tenant_id, upload_id in found)


def forget_uploads() -> int:
    """Delete the rows of uploads that ended long ago and return how many. Their bytes were erased at their end; a
    document stays as it is.
    """
    with operator_work():
        of_tests = Q(livemode=False, ended_at__lte=Now() - timedelta(days=test_days_within(KEPT_DAYS)))
        old = ResumableUpload.objects.filter(Q(ended_at__lte=Now() - timedelta(days=KEPT_DAYS)) | of_tests)
        found = list(old.order_by("ended_at").values_list("id", flat=True)[:MAX_FORGOTTEN])
        deleted, _ = ResumableUpload.objects.filter(id__in=found).delete()
    return deleted


def _expire(tenant_id: UUID, upload_id: UUID) -> bool:
    with unit_of_work(tenant_id):
        rows = ResumableUpload.objects.select_for_update(no_key=True, skip_locked=True)
        upload = rows.filter(FREE, id=upload_id, state__in=OPEN, expires_at__lte=Now()).first()
        if upload is None:
            return False
        was = upload.state
        end_upload(upload, State.EXPIRED)
    if was == State.CHECKING:
        log.error("upload_expired", upload_id=str(upload_id), tenant_id=str(tenant_id))
    return True


def _finish(turn: Lease) -> None:
    about = {"upload_id": str(turn.upload_id), "tenant_id": str(turn.tenant_id)}
    try:
        with _kept(turn), scratch() as file:
            finishing.settle(turn, _checked_at(turn, finishing.join(turn, file)))
        log.info("upload_finished", **about)
    except finishing.Lost:
        log.info("upload_finished_elsewhere", **about)
    except (DomainError, ReaderUnavailable) as error:
        log.warning("upload_postponed", error=error.detail, **about)
        finishing.put_off(turn, PAUSE_S)
    except Exception:
        log.exception("upload_not_finished", **about)
        finishing.put_off(turn, PAUSE_S)


def _checked_at(turn: Lease, upload: Upload) -> Upload:
    found: Inspection | DocumentRejected
    try:
        found = reader().inspect(upload.path, Call(tenant=str(turn.tenant_id)))
    except DocumentRejected as rejected:
        found = rejected
    return replace(upload, inspection=found)


@contextmanager
def _kept(turn: Lease) -> Iterator[None]:
    """Renew the lease meanwhile, however long a large file takes."""
    ended = threading.Event()
    threading.Thread(target=_keep, args=(turn, ended), name="upload-lease", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _keep(turn: Lease, ended: threading.Event) -> None:
    try:
        while not ended.wait(LEASE_S / 3):
            try:
                if not finishing.keep(turn):
                    return
            except Exception as error:
                log.warning("upload_lease_not_renewed", upload_id=str(turn.upload_id), error=str(error))
                close_old_connections()
    finally:
        close_old_connections()
