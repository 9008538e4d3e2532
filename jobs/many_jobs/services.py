"""Writes to many jobs at once, each in its own transaction. What exceeds one request's bounds is left and reported."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db.models import Q

from jobs.core import states
from jobs.core.errors import DocumentDeleted, JobErased, JobFinished
from jobs.core.models import Job
from jobs.documents.erasure import Deadline
from jobs.documents.job_selectors import jobs_with_models
from jobs.retention.documents import delete_document, erase_document_and_jobs
from jobs.retention.erasing import erase_job
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError, InvalidRequest
from tenants.core.ids import as_uuid
from tenants.identity.identity import Identity

MAX_AT_ONCE = 100
CANCELED, RETRIED, DELETED = "canceled", "retried", "deleted"
ENDED, NO_DOCUMENT, NOT_FOUND, LEFT = "ended", "no_document", "not_found", "left_for_later"
MAX_PAGES_AT_ONCE = 10_000
MAX_PAGES_SENT_AGAIN = 2_000
"""The most pages that one request may retry. Each becomes a new row: 2,000 take two seconds."""


@dataclass(frozen=True)
class Outcome:
    job_id: str
    code: str
    """The code of the outcome: one of the codes above, or the code of the error with which the job was refused."""


class Strength:
    """The pages that one request handles. The first job is always allowed, however long it is."""

    def __init__(self, max_pages: int) -> None:
        self._max_pages = max_pages
        self._pages = 0

    def allows(self, job: Job) -> bool:
        if self._pages and self._pages + job.pages_total > self._max_pages:
            return False
        self._pages += job.pages_total
        return True


@dataclass(frozen=True)
class Consequences:
    """The consequences of deleting the documents of some jobs."""

    names: list[str]
    unfinished: int
    """Jobs that will be canceled, selected or not."""
    others: int
    """Jobs on the same documents that were not selected."""
    without_document: int
    jobs: int = 0
    """All jobs that will be listed as deleted, selected or not."""


def cancel_jobs(*, identity: Identity, job_ids: Sequence[str]) -> list[Outcome]:
    strength = Strength(MAX_PAGES_AT_ONCE)

    def cancel(_: str, job: Job | None) -> str:
        if job is None or job.terminal:
            return ENDED if job else NOT_FOUND
        if not strength.allows(job):
            return LEFT
        code = _code_of(partial(cancel_job, identity=identity, job_id=job.id), CANCELED)
        return ENDED if code == JobFinished.code else code

    return _outcomes(identity, job_ids, cancel)


def retry_jobs(*, identity: Identity, job_ids: Sequence[str], request_id: str = "") -> list[Outcome]:
    strength = Strength(MAX_PAGES_SENT_AGAIN)

    def retry(job_id: str, job: Job | None) -> str:
        retriable = job is not None and job.terminal and job.state != states.SUCCEEDED
        if job is not None and retriable and not strength.allows(job):
            return LEFT
        return _code_of(partial(retry_job, identity=identity, job_id=job_id, request_id=request_id), RETRIED)

    return _outcomes(identity, job_ids, retry)


def delete_documents_of(*, identity: Identity, job_ids: Sequence[str]) -> list[Outcome]:
    """Delete the documents of the jobs. One that several jobs use is deleted once, the outcome of each."""
    strength, deadline = Strength(MAX_PAGES_AT_ONCE), Deadline()
    of_document: dict[UUID, str] = {}

    def delete(_: str, job: Job | None) -> str:
        if job is None or job.document_id is None:
            return NO_DOCUMENT if job else NOT_FOUND
        if job.document_id not in of_document:
            deleted = job.document is not None and job.document.deleted_at is not None
            do = partial(delete_document, identity=identity, document_id=job.document_id, deadline=deadline)
            of_document[job.document_id] = _code_of(do, DELETED) if deleted or strength.allows(job) else LEFT
        return of_document[job.document_id]

    return _outcomes(identity, job_ids, delete)


def _outcomes(identity: Identity, job_ids: Sequence[str], do: Callable[[str, Job | None], str]) -> list[Outcome]:
    jobs = known_jobs(identity, job_ids)
    return [Outcome(job_id, do(job_id, jobs.get(job_id))) for job_id in bounded(job_ids)]


def _code_of(do: Callable[[], object], done: str) -> str:
    try:
        do()
    except DomainError as refusal:
        return refusal.code
    return done


def consequences_of_deleting(*, identity: Identity, job_ids: Sequence[str]) -> Consequences:
    jobs = known_jobs(identity, job_ids).values()
    documents = {job.document.id: job.document for job in jobs if job.document and not job.document.deleted_at}
    picked = [job.id for job in jobs]
    with unit_of_work(identity):
        concerned = Job.objects.filter(document_id__in=documents)
        return Consequences(
            names=[document.name for document in documents.values()],
            unfinished=concerned.filter(state__in=states.UNFINISHED).count(),
            others=concerned.exclude(Q(id__in=picked)).count(),
            without_document=sum(job.document_id is None for job in jobs),
            jobs=concerned.count(),
        )


def known_jobs(identity: Identity, job_ids: Iterable[str]) -> dict[str, Job]:
    wanted = [job_id for job_id in map(as_uuid, bounded(job_ids)) if job_id]
    with unit_of_work(identity):
        jobs = jobs_with_models().select_related("document").filter(id__in=wanted)
        return {str(job.id): job for job in jobs}


def bounded(job_ids: Iterable[str]) -> list[str]:
    """Return each id once. Raises InvalidRequest if there are too many."""
    once = list(dict.fromkeys(job_ids))
    if len(once) > MAX_AT_ONCE:
        raise InvalidRequest(f"You sent {len(once)} jobs, but at most {MAX_AT_ONCE} can be changed at once.")
    return once


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
    strength = Strength(MAX_PAGES_AT_ONCE)
    of_document: dict[UUID, str] = {}

    def erase(_: str, job: Job | None) -> str:
        if job is None:
            return NOT_FOUND
        if job.document_id in of_document:
            return of_document[job.document_id]
        became = _code_of(partial(_erase, identity, job), DELETED) if strength.allows(job) else LEFT
        if job.document_id is not None:
            of_document[job.document_id] = became
        return became

    return _outcomes(identity, job_ids, erase)


def _erase(identity: Identity, job: Job) -> None:
    with suppress(JobErased):
        if job.document_id is None:
            with suppress(JobFinished):
                cancel_job(identity=identity, job_id=job.id)
            erase_job(identity=identity, job_id=job.id)
        else:
            with suppress(DocumentDeleted):
                erase_document_and_jobs(identity=identity, document_id=job.document_id)


def consequences_of_erasing(*, identity: Identity, job_ids: Sequence[str]) -> Erasure:
    selected = known_jobs(identity, job_ids).values()
    documents = {job.document_id for job in selected if job.document_id}
    picked = [job.id for job in selected]
    with unit_of_work(identity):
        concerned = Job.objects.filter(Q(id__in=picked) | Q(document_id__in=documents), erased_at=None)
        jobs = concerned.count()
        return Erasure(
            jobs=jobs,
            documents=len(documents),
            unfinished=concerned.filter(state__in=states.UNFINISHED).count(),
            others=jobs - len(picked),
        )
