"""Submissions that may be sent again: however often one arrives under its key, there is one job."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import connections

from jobs.allowance import pages_paid, require_room_for_job
from jobs.documents.reader import Inspection
from jobs.documents.services import store_document
from jobs.documents.uploads import Upload
from jobs.idempotency.expiry import forgotten_keys, remembered_keys
from jobs.idempotency.keys import Asked, require_same
from jobs.models import Job
from jobs.selectors import get_job
from jobs.services import JobRequest, check_model, submit_job
from tenants.context import APP, unit_of_work
from tenants.identity import Identity
from tenants.ids import uuid7

# Whoever comes while another is in the middle of its transaction under this key waits here for its end.
# The update changes nothing: it makes the row that was there first come back.
_KEEP = """
INSERT INTO jobs_idempotencykey (id, tenant_id, key, fingerprint, job_id, created_at)
VALUES (%s, %s, %s, %s, %s, statement_timestamp())
ON CONFLICT (tenant_id, key) DO UPDATE SET key = EXCLUDED.key
RETURNING fingerprint, job_id
"""


@dataclass(frozen=True)
class Submission:
    job: Job
    replayed: bool = False
    """The job was there already: an earlier request with the same key made it."""


@dataclass(frozen=True)
class _Kept:
    fingerprint: str
    job_id: UUID


def submit_once(
    *, identity: Identity, request: JobRequest, key: str | None, upload: Upload | None = None
) -> Submission:
    """`upload` is the document that came with the request and is not stored yet."""
    if key is None:
        with _with_document(identity, request, upload) as whole:
            return Submission(submit_job(identity=identity, request=whole))
    fingerprint = _asked(identity, request, upload).fingerprint()
    earlier = _earlier_job(identity, key, fingerprint)
    if earlier is not None:
        return Submission(earlier, replayed=True)
    with _with_document(identity, request, upload) as whole:
        return _submit_under(key, fingerprint, identity, whole)


def _submit_under(key: str, fingerprint: str, identity: Identity, request: JobRequest) -> Submission:
    """Key and job are one transaction: a submission that is refused leaves its key free."""
    with unit_of_work(identity.tenant_id):
        forgotten_keys().filter(key=key).delete()
        job_id = uuid7()
        kept = _keep(key, fingerprint, identity.tenant_id, job_id)
        if kept.job_id == job_id:
            return Submission(submit_job(identity=identity, request=request, job_id=job_id))
        require_same(key, kept.fingerprint, fingerprint)
        return Submission(get_job(kept.job_id), replayed=True)


def _earlier_job(identity: Identity, key: str, fingerprint: str) -> Job | None:
    """Looked for before anything else is checked: an accepted job is given whatever became of its model since."""
    with unit_of_work(identity.tenant_id):
        kept = remembered_keys().filter(key=key).first()
        if kept is None:
            return None
        require_same(key, kept.fingerprint, fingerprint)
        return get_job(kept.job_id)


def _keep(key: str, fingerprint: str, tenant_id: UUID, job_id: UUID) -> _Kept:
    with connections[APP].cursor() as cursor:
        cursor.execute(_KEEP, [uuid7(), tenant_id, key, fingerprint, job_id])
        return _Kept(*cursor.fetchone())


def _asked(identity: Identity, request: JobRequest, upload: Upload | None) -> Asked:
    return Asked(
        model=request.model,
        parameters=request.parameters,
        document_id=str(request.document_id) if request.document_id is not None else None,
        content_sha256=upload.sha256 if upload else None,
        input=request.input,
        priority=request.priority,
        deadlines=request.deadlines,
        webhook_url=request.webhook_url,
        livemode=identity.livemode,
    )


@contextmanager
def _with_document(identity: Identity, request: JobRequest, upload: Upload | None) -> Iterator[JobRequest]:
    """A new document's pages are counted before it is stored: what is refused leaves nothing behind."""
    if upload is None:
        yield request
        return
    version = check_model(request.model, request.parameters)
    with unit_of_work(identity.tenant_id):
        require_room_for_job(identity)
    with ExitStack() as paid:
        pages = upload.inspection.pages_total if isinstance(upload.inspection, Inspection) else None
        if pages is not None:
            paid.enter_context(pages_paid(identity, version.served_model.name, pages))
        stored = store_document(identity=identity, upload=upload)
        yield replace(request, document_id=stored.document.id, is_paid=pages is not None)
