"""Ends jobs that are not done by the time that their sender gave them."""

import structlog
from django.db import connections

from jobs.services import end_overdue_job
from tenants.context import OPERATOR, operator_work

log = structlog.get_logger(__name__)
AT_ONCE = 200

_OVERDUE = """
SELECT id, tenant_id FROM jobs_job
WHERE state IN ('queued', 'running') AND (expires_at IS NOT NULL OR cancel_at IS NOT NULL)
  AND least(expires_at, cancel_at) <= clock_timestamp()
ORDER BY least(expires_at, cancel_at)
LIMIT %s
"""


def end_overdue_jobs() -> int:
    """How many it has ended. One that is locked now is found again in a second."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_OVERDUE, [AT_ONCE])
        overdue = cursor.fetchall()
    ended = 0
    for job_id, tenant_id in overdue:
        try:
            ended += end_overdue_job(tenant_id=tenant_id, job_id=job_id)
        except Exception:
            # The others are still to be ended; this one is tried again in the next round.
            log.exception("job_not_ended", job_id=str(job_id), tenant_id=str(tenant_id))
    return ended
