"""Ends pages that wait with no try left, since `MAAS_MAX_ATTEMPTS` allows fewer tries than when they were put back.

No worker may claim them. Without this, their jobs would never end, nor release the money that they hold.
"""

from uuid import UUID

import structlog
from django.conf import settings
from django.db import connections, transaction

from jobs.core.errors import Fenced
from jobs.core.models import Job, Page
from jobs.core.states import QUEUED
from jobs.queue.settlement import Failure, fail_waiting_page
from jobs.queue.sweeper import LOST, stand_still_no_longer
from tenants.core.db.failures import is_operators
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
BATCH = 200

# A page that was tried belongs to a job that runs. There are few such jobs, while very many may wait.
_USED_UP = """
SELECT page.id, page.job_id FROM jobs_job job JOIN jobs_page page ON page.job_id = job.id
WHERE job.state = 'running' AND page.state = 'queued' AND page.attempt >= %(most)s
  AND page.id > %(after)s
ORDER BY page.id LIMIT %(batch)s
"""


def end_used_up_pages() -> int:
    """End the pages and return how many were ended. A page whose job is locked now is left for the next round."""
    ended, after = 0, UUID(int=0)
    while some := _some(after):
        ended += sum(_end(page_id, job_id) for page_id, job_id in some)
        after = some[-1][0]
    return ended


def _some(after: UUID) -> list[tuple[UUID, UUID]]:
    values: dict[str, int | UUID] = {"most": settings.MAAS_MAX_ATTEMPTS, "after": after, "batch": BATCH}
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_USED_UP, values)
        return list(cursor.fetchall())


def _end(page_id: UUID, job_id: UUID) -> bool:
    try:
        with operator_work(), transaction.atomic(using=OPERATOR):
            stand_still_no_longer()
            # The job is locked first and the page second, as everywhere.
            if Job.objects.select_for_update(skip_locked=True, no_key=True).filter(id=job_id).first() is None:
                return False
            waiting = Page.objects.select_for_update().defer("result")
            page = waiting.filter(id=page_id, state=QUEUED, attempt__gte=settings.MAAS_MAX_ATTEMPTS).first()
            if page is None:
                return False
            why = Failure(page.error_code, page.error_detail) if page.error_code else LOST
            fail_waiting_page(page, why)
    except Fenced:
        return False
    except Exception as error:
        if is_operators(error):
            raise
        log.exception("page_not_ended", page_id=str(page_id), job_id=str(job_id))
        return False
    log.warning("page_attempts_exhausted", page_id=str(page_id), job_id=str(job_id), attempt=page.attempt)
    return True
