"""Erases many jobs at once, with the documents that they were read from, as if they had never been sent."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from jobs.bulk.services import (
    DELETED,
    LEFT,
    MAX_PAGES_AT_ONCE,
    NOT_FOUND,
    Outcome,
    Strength,
    bounded,
    known_jobs,
)
from jobs.core import states
from jobs.core.errors import DocumentDeleted, JobErased, JobFinished
from jobs.core.models import Job
from jobs.retention.documents import erase_document_and_jobs
from jobs.retention.erasing import erase_job
from jobs.submission.services import cancel_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError
from tenants.identity.identity import Identity


@dataclass(frozen=True)
class Erasure:
    """The consequences of erasing some jobs."""

    jobs: int
    """All jobs that will be gone, selected or not."""
    documents: int
    unfinished: int
    """The number of these jobs that are unfinished and will be canceled."""
    others: int
    """Jobs on the same documents that were not selected."""


def erase_jobs(*, identity: Identity, job_ids: Sequence[str]) -> list[Outcome]:
    """Erase the jobs. A document that several of them use is erased once, and that is the outcome of each."""
    known = known_jobs(identity, job_ids)
    strength = Strength(MAX_PAGES_AT_ONCE)
    of_document: dict[UUID, str] = {}
    outcomes = []
    for job_id in bounded(job_ids):
        job = known.get(job_id)
        if job is None:
            outcomes.append(Outcome(job_id, NOT_FOUND))
        elif job.document_id in of_document:
            outcomes.append(Outcome(job_id, of_document[job.document_id]))
        else:
            became = _erased(identity, job) if strength.allows(job) else LEFT
            if job.document_id is not None:
                of_document[job.document_id] = became
            outcomes.append(Outcome(job_id, became))
    return outcomes


def _erased(identity: Identity, job: Job) -> str:
    try:
        if job.document_id is not None:
            with suppress(DocumentDeleted):
                erase_document_and_jobs(identity=identity, document_id=job.document_id)
        else:
            with suppress(JobFinished):
                cancel_job(identity=identity, job_id=job.id)
            erase_job(identity=identity, job_id=job.id)
    except JobErased:
        return DELETED
    except DomainError as refusal:
        return refusal.code
    return DELETED


def consequences_of_erasing(*, identity: Identity, job_ids: Sequence[str]) -> Erasure:
    known = known_jobs(identity, job_ids).values()
    documents = {job.document_id for job in known if job.document_id}
    picked = [job.id for job in known]
    with unit_of_work(identity):
        concerned = Job.objects.filter(Q(id__in=picked) | Q(document_id__in=documents), erased_at=None)
        jobs = concerned.count()
        return Erasure(
            jobs=jobs,
            documents=len(documents),
            unfinished=concerned.filter(state__in=states.UNFINISHED).count(),
            others=jobs - len(picked),
        )
