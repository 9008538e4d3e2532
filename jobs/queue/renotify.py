"""Announces the queued pages of a job again at once, for an operator who does not want to wait."""

from functools import partial

from django.db import connections, transaction

from jobs.core.models import Job
from jobs.documents.job_selectors import get_job
from jobs.queue.release import release_after_commit
from tenants.core.db.unit_of_work import APP, unit_of_work

_FORGET_WAKES = """
UPDATE jobs_page SET renotify_at = NULL, run_after = least(run_after, clock_timestamp())
WHERE job_id = %s AND state = 'queued'
"""


def wake_job_now(job: Job) -> int:
    """Announce the queued pages of a job again, end their back-off, and return how many wait. Repeats are harmless."""
    with unit_of_work(job.tenant_id):
        get_job(job.id, for_update=True)
        with connections[APP].cursor() as cursor:
            cursor.execute(_FORGET_WAKES, [job.id])
            queued = int(cursor.rowcount)
        if queued:
            release = partial(release_after_commit, job.model_version_id, job.model_version.key)
            transaction.on_commit(release, using=APP)
    return queued
