"""Deletes old rows about what was erased, whose ids are then unknown. Bills rest on usage and charges alone."""

from django.conf import settings
from django.db import connections

from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.plans.retention import FOR_EVER

BATCH = 500
BATCHES = 20

# A job is deleted after its retries, and a document after its jobs, because those refer to it.
_JOBS = """
DELETE FROM jobs_job WHERE id IN (
    SELECT job.id FROM jobs_job job
    WHERE job.erased_at <= statement_timestamp() - make_interval(days => %(days)s)
      AND NOT EXISTS (SELECT FROM jobs_job again WHERE again.retry_of_id = job.id)
    ORDER BY job.erased_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
"""
_DOCUMENTS = """
DELETE FROM jobs_document WHERE id IN (
    SELECT document.id FROM jobs_document document
    WHERE document.deleted_at <= statement_timestamp() - make_interval(days => %(days)s)
      AND NOT EXISTS (SELECT FROM jobs_job job WHERE job.document_id = document.id)
    ORDER BY document.deleted_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
"""


def forget_erased() -> int:
    """Delete old rows of jobs and documents and return their number. The next round goes on with the rest."""
    days = settings.MAAS_KEEP_TOMBSTONES_DAYS
    if days == FOR_EVER:
        return 0
    return sum(_some(statement, days) for statement in (_JOBS, _DOCUMENTS))


def _some(statement: str, days: int) -> int:
    deleted = 0
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        for _ in range(BATCHES):
            cursor.execute(statement, {"days": days, "most": BATCH})
            deleted += cursor.rowcount
            if not cursor.rowcount:
                break
    return deleted
