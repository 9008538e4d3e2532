"""Indexes jobs that are older than the index. The scheduler does this job by job, as long as there are orders."""

from collections.abc import Iterator
from uuid import UUID

import structlog
from django.db import OperationalError, connections, transaction

from inference.core.contracts import Embedding
from jobs.core import states
from jobs.core.models import Job, Page
from jobs.search.meaning import STEP
from jobs.search.services import PageRef, index_name, index_page, keep_embedding, text_of
from jobs.search.words import vector_of
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
JOBS_A_ROUND = 100
STRETCH = 20
"""The number of pages that are read, and then written, at once."""
_NEEDED = ("tenant", "job", "number", "result")

ANY_ORDERED = "EXISTS (SELECT FROM jobs_jobtoindex)"
# The newest jobs come first, because they are searched for most.
_ORDERS = "SELECT job_id FROM jobs_jobtoindex ORDER BY job_id DESC LIMIT %s"
_HOLD = "SELECT FROM jobs_job WHERE id = %s AND erased_at IS NULL FOR KEY SHARE"
_WITHDRAW = "DELETE FROM jobs_jobtoindex WHERE job_id = %s"


def index_ordered_jobs() -> int:
    """Carry out orders to index jobs and return their number. A page that was indexed meanwhile stays as it is."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_ORDERS, [JOBS_A_ROUND])
        orders = [job_id for (job_id,) in cursor.fetchall()]
    for job_id in orders:
        try:
            _index(job_id)
        except OperationalError:
            raise
        except Exception:
            # The other jobs are still to be indexed. This job would fail again, and come first each time.
            log.exception("job_not_indexed", job_id=str(job_id))
            _withdraw(job_id)
    if orders:
        log.info("jobs_indexed", jobs=len(orders))
    return len(orders)


def _index(job_id: UUID) -> None:
    """Index a job page by page: a long transaction would hide from everybody what happens meanwhile."""
    with operator_work():
        with transaction.atomic(using=OPERATOR):
            if not _held(job_id):
                return _withdraw(job_id)
            job = Job.objects.select_related("document", "model_version").defer("input").get(id=job_id)
            index_name(job)
        digest = _embedder_digest(job)
        for pages in _stretches(job):
            # The texts are split into words before the transaction begins, because this takes time for long texts.
            vectors = [(page, vector_of(page.tenant_id, text_of(page.result))) for page in pages]
            with transaction.atomic(using=OPERATOR):
                if not _held(job_id):
                    return _withdraw(job_id)
                for page, vector in vectors:
                    _index_page(page, vector, digest)
        _withdraw(job_id)


def _held(job_id: UUID) -> bool:
    """Return whether the job is not erased, and lock it until the end, so that its words stay gone."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_HOLD, [job_id])
        return cursor.fetchone() is not None


def _stretches(job: Job) -> Iterator[list[Page]]:
    read = 0
    while pages := list(
        job.pages.filter(state=states.SUCCEEDED, number__gt=read).only(*_NEEDED).order_by("number")[:STRETCH]
    ):
        yield pages
        read = pages[-1].number


def _withdraw(job_id: UUID) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_WITHDRAW, [job_id])


def _index_page(page: Page, search_vector: str, digest: str | None) -> None:
    ref = PageRef(page.tenant_id, page.job_id, page.id, page.number)
    index_page(ref, search_vector)
    vector = (page.result or {}).get("embedding")
    if digest and isinstance(vector, list) and vector:
        keep_embedding(ref, Embedding(digest, tuple(vector)))


def _embedder_digest(job: Job) -> str | None:
    """Return the digest of the model that embedded the pages, or None if the job's model embeds nothing."""
    step = job.model_version.steps.select_related("member").filter(role=STEP).first()
    return step.member.digest if step else None
