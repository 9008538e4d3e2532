"""Erases a document with all that was read from it."""

from collections.abc import Iterator
from contextlib import suppress
from uuid import UUID

from jobs.core.errors import DocumentDeleted, JobErased, TooMuchToErase
from jobs.core.models import ErasedBecause, Job
from jobs.retention.deleting import delete_document
from jobs.retention.erasing import erase_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity

MAX_JOBS = 500
"""The number of jobs in one request. Each of them is a transaction of its own."""


def erase_document_and_jobs(
    *, identity: Identity, document_id: object, because: ErasedBecause = ErasedBecause.REQUEST
) -> int:
    """Erase a document and its jobs, and return how many jobs were erased. If it is interrupted, a repeated request
    continues.

    Raises DocumentDeleted if there was nothing left.
    """
    deleted_before: DocumentDeleted | None = None
    try:
        delete_document(identity=identity, document_id=document_id, because=because)
    except DocumentDeleted as gone:
        deleted_before = gone
    erased = sum(_erased(identity, job_id, because) for job_id in _jobs_of(identity, UUID(str(document_id))))
    if deleted_before is not None and not erased:
        raise deleted_before
    return erased


def _jobs_of(identity: Identity, document_id: UUID) -> Iterator[UUID]:
    """Yield the jobs of an erased document. They have ended, because the erasure canceled them, and none can begin."""
    with unit_of_work(identity):
        kept = Job.objects.filter(document_id=document_id, erased_at=None).order_by("id")
        found = list(kept.values_list("id", flat=True)[: MAX_JOBS + 1])
    yield from found[:MAX_JOBS]
    if len(found) > MAX_JOBS:
        raise TooMuchToErase(
            f"The document and {MAX_JOBS} of its jobs were erased. Send this again to erase the remaining jobs."
        )


def _erased(identity: Identity, job_id: UUID, because: ErasedBecause) -> int:
    with suppress(JobErased):
        erase_job(identity=identity, job_id=job_id, because=because)
        return 1
    return 0
