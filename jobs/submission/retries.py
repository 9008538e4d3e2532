"""The jobs that try the same work: a job, its retries, and their retries. All of this runs inside a unit of work.

Each of them took over what the one before it had done, whichever of them was retried.
"""

from uuid import UUID

from django.db import connections
from django.db.models import QuerySet

from jobs.core import states
from jobs.core.models import Job
from jobs.documents.job_selectors import jobs_and_tombstones, jobs_with_models
from tenants.core.db.unit_of_work import APP

# The row of a job stays as long as that of its retry does, even after the job is erased.
_ROOT = """
WITH RECURSIVE back (id, retry_of_id) AS (
    SELECT id, retry_of_id FROM jobs_job WHERE id = %(job)s
    UNION SELECT job.id, job.retry_of_id FROM jobs_job job JOIN back ON job.id = back.retry_of_id
) SELECT id FROM back WHERE retry_of_id IS NULL
"""
_ALL = """
WITH RECURSIVE again (id) AS (
    SELECT %(root)s::uuid UNION SELECT job.id FROM jobs_job job JOIN again ON job.retry_of_id = again.id
) SELECT id FROM again
"""


def first_of(job: Job) -> UUID:
    if job.retry_of_id is None:
        return job.id
    with connections[APP].cursor() as cursor:
        cursor.execute(_ROOT, {"job": job.id})
        row = cursor.fetchone()
    return UUID(str(row[0])) if row else job.id


def lock_first_of(job: Job) -> None:
    """Lock the first of these jobs before the job itself, so that retries see what the one before created."""
    locking = jobs_and_tombstones().select_for_update(of=("self",), no_key=True)
    locking.filter(id=first_of(job)).first()


def retry_that_will_do(job: Job) -> Job | None:
    """Return a retry that is under way, or that has done all there was to do."""
    enough = (*states.UNFINISHED, states.SUCCEEDED)
    return _tries(job).exclude(id=job.id).filter(state__in=enough).first()


def furthest(job: Job) -> Job:
    """Return the job with the most pages done, locked, so that it is not erased while it is taken over."""
    tries = _tries(job).order_by("-pages_succeeded", "-id")
    return tries.select_for_update(of=("self",), no_key=True).first() or job


def _tries(job: Job) -> "QuerySet[Job]":
    with connections[APP].cursor() as cursor:
        cursor.execute(_ALL, {"root": first_of(job)})
        return jobs_with_models().filter(id__in=[row[0] for row in cursor.fetchall()])
