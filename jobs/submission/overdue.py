"""Ends jobs that are not done by the deadline that their sender gave."""

from datetime import datetime
from uuid import UUID

import structlog
from django.db import connections

from jobs.submission.services import end_overdue_job
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
AT_ONCE = 200

# The conditions match the index, so that jobs that are not due yet are not read.
_OVERDUE = """
SELECT id, tenant_id, least(expires_at, cancel_at) AS due FROM jobs_job
WHERE state IN ('queued', 'running') AND (expires_at IS NOT NULL OR cancel_at IS NOT NULL)
  AND least(expires_at, cancel_at) <= statement_timestamp()
  AND (%(after)s::timestamptz IS NULL OR least(expires_at, cancel_at) > %(after)s)
ORDER BY due
LIMIT %(at_once)s
"""


def end_overdue_jobs() -> int:
    """End overdue jobs and return how many. One that is locked, or cannot end, is found again in a second."""
    ended = 0
    after: datetime | None = None
    while overdue := _overdue(after):
        ended += sum(_end(job_id, tenant_id) for job_id, tenant_id, _ in overdue)
        after = overdue[-1][2]
    return ended


def _overdue(after: datetime | None) -> list[tuple[UUID, UUID, datetime]]:
    """Return the next overdue jobs in their order. Jobs that could not be ended do not hide the jobs behind them."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_OVERDUE, {"after": after, "at_once": AT_ONCE})
        return list(cursor.fetchall())


def _end(job_id: UUID, tenant_id: UUID) -> bool:
    try:
        return end_overdue_job(tenant_id=tenant_id, job_id=job_id)
    except Exception:
        # The other jobs are still to be ended. This job is tried again in the next round.
        log.exception("job_not_ended", job_id=str(job_id), tenant_id=str(tenant_id))
        return False
