"""Returns pages to the queue if their worker stopped responding, or ends those that have cost enough workers."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import connections, transaction
from django.db.models.functions import Now

from jobs.core import states
from jobs.core.errors import Fenced
from jobs.core.models import Job, Page
from jobs.events.log import append_event
from jobs.queue.settlement import Failure, fail_lost_page
from tenants.core.db.failures import is_operators
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
BATCH = 200
FROZEN_S = 5

_EXPIRED = """
SELECT id, job_id, lease_until FROM jobs_page
WHERE state = 'running' AND lease_until < %(before)s
  AND (lease_until, id) > (%(after_lease)s, %(after_id)s)
ORDER BY lease_until, id LIMIT %(most)s
"""

_RETURN = """
UPDATE jobs_page
SET state = 'queued', lease_token = NULL, lease_until = NULL, renotify_at = NULL, run_after = clock_timestamp(),
    error_code = 'worker_lost', error_detail = 'The worker stopped responding.', cache_key = NULL
WHERE id = %s AND state = 'running' AND lease_until < clock_timestamp()
"""

LOST = Failure("worker_lost", "Every worker that processed this page stopped before it was finished.")


@dataclass(frozen=True, slots=True)
class _Expired:
    page_id: UUID
    job_id: UUID
    lease_until: datetime


def sweep_expired_leases() -> int:
    """Return how many pages were taken from silent workers. This covers all pages whose leases have ended by now."""
    return sum(_sweep(page.page_id, page.job_id) for page in _expired())


def _expired() -> Iterator[_Expired]:
    """Yield the pages whose leases have ended, past those that cannot be swept now (locked or broken)."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (before,) = cursor.fetchone()
    last: _Expired | None = _Expired(UUID(int=0), UUID(int=0), datetime.min.replace(tzinfo=UTC))
    while last is not None:
        some = _some_expired(last, before)
        yield from some
        last = some[-1] if len(some) == BATCH else None


def _some_expired(after: _Expired, before: datetime) -> list[_Expired]:
    values: dict[str, Any] = {
        "before": before,
        "after_lease": after.lease_until,
        "after_id": after.page_id,
        "most": BATCH,
    }
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_EXPIRED, values)
        return [_Expired(*row) for row in cursor.fetchall()]


def _sweep(page_id: UUID, job_id: UUID) -> bool:
    try:
        with operator_work(), transaction.atomic(using=OPERATOR):
            stand_still_no_longer()
            # The job is locked first and the page second, as everywhere. A job that is locked now is left for the next
            # round: waiting for it would hold up all others.
            if Job.objects.select_for_update(skip_locked=True, no_key=True).filter(id=job_id).first() is None:
                return False
            page = (
                Page.objects.select_for_update()
                .filter(id=page_id, state=states.RUNNING, lease_until__lt=Now())
                .first()
            )
            if page is None:
                return False
            if page.attempt >= settings.MAAS_MAX_ATTEMPTS:
                fail_lost_page(page, LOST)
            else:
                _return_to_queue(page)
    except Fenced:
        return False
    except Exception as error:
        if is_operators(error):
            raise
        # The other pages are still to be swept. This page is tried again in the next round.
        log.exception("expired_lease_not_handled", page_id=str(page_id), job_id=str(job_id))
        return False
    log.warning(
        "lease_expired", page_id=str(page_id), job_id=str(job_id), worker=page.worker, attempt=page.attempt
    )
    return True


def stand_still_no_longer() -> None:
    """End this transaction if it stands still, because it would hold up the event streams of all tenants."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, true)", [f"{FROZEN_S}s"])


def _return_to_queue(page: Page) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_RETURN, [page.id])
        if cursor.rowcount != 1:
            raise Fenced(f"page {page.id} was renewed or finished meanwhile")
    append_event(
        page.job_id, "page.requeued", {"page": page.number, "state": states.QUEUED, "error": "worker_lost"}
    )
