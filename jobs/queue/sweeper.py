"""Returns pages of silent workers to the queue, or ends those that have cost enough workers or have no try left."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import connections, transaction
from django.db.models.functions import Now

from jobs.core import states
from jobs.core.errors import LeaseLost
from jobs.core.models import Job, Page
from jobs.events.log import append_event
from jobs.queue.findings import Findings, with_findings
from jobs.queue.settlement import Failure, fail_lost_page, fail_waiting_page
from tenants.core.db.failures import is_operators
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
BATCH = 200
FROZEN_S = 5

ANY_EXPIRED = "EXISTS (SELECT FROM jobs_page WHERE state = 'running' AND lease_until < clock_timestamp())"
_EXPIRED = """
SELECT id, job_id, tenant_id, lease_until FROM jobs_page
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

# A page that was tried belongs to a job that runs. There are few such jobs, while very many may wait.
_USED_UP = """
SELECT page.id, page.job_id, page.tenant_id FROM jobs_job job JOIN jobs_page page ON page.job_id = job.id
WHERE job.state = 'running' AND page.state = 'queued' AND page.attempt >= %(most)s
  AND page.id > %(after)s
ORDER BY page.id LIMIT %(batch)s
"""

LOST = Failure("worker_lost", "Every worker that processed this page stopped before it was finished.")


@dataclass(frozen=True, slots=True)
class _Expired:
    page_id: UUID
    job_id: UUID
    tenant_id: UUID
    lease_until: datetime


def sweep_expired_leases() -> int:
    """Return how many pages were taken from silent workers. This covers all pages whose leases have ended by now."""
    return sum(_sweep(page.page_id, page.job_id, page.tenant_id) for page in _expired())


def _expired() -> Iterator[_Expired]:
    """Yield the pages whose leases have ended, past those that cannot be swept now (locked or broken)."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (before,) = cursor.fetchone()
    last: _Expired | None = _Expired(UUID(int=0), UUID(int=0), UUID(int=0), datetime.min.replace(tzinfo=UTC))
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


def _sweep(page_id: UUID, job_id: UUID, tenant_id: UUID) -> bool:
    try:
        page = with_findings(tenant_id, job_id, partial(_take_back, page_id, job_id))
    except LeaseLost:
        return False
    except Exception as error:
        if is_operators(error):
            raise
        # The other pages are still to be swept. This page is tried again in the next round.
        log.exception("expired_lease_not_handled", page_id=str(page_id), job_id=str(job_id))
        return False
    if page is None:
        return False
    log.warning("lease_expired", page_id=str(page_id), job_id=str(job_id), worker=page.worker, attempt=page.attempt)
    return True


def _take_back(page_id: UUID, job_id: UUID, findings: Findings | None) -> Page | None:
    """Return the page that was taken from its worker, or None if there was none to take or its job is locked."""
    with _locked(job_id) as locked:
        expired = Page.objects.filter(id=page_id, state=states.RUNNING, lease_until__lt=Now())
        page = expired.select_for_update().first() if locked else None
        if page is not None and page.attempt >= settings.MAAS_MAX_ATTEMPTS:
            fail_lost_page(page, LOST, findings)
        elif page is not None:
            _return_to_queue(page)
        return page


@contextmanager
def _locked(job_id: UUID) -> Iterator[bool]:
    """Yield whether the job could be locked, which is done before its page is. Otherwise it is left for the next round.

    The transaction ends if it stands still, because it would hold up the event streams of all tenants.
    """
    with operator_work(), transaction.atomic(using=OPERATOR):
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, true)", [f"{FROZEN_S}s"])
        yield (Job.objects.select_for_update(skip_locked=True, no_key=True).filter(id=job_id).first() is not None)


def _return_to_queue(page: Page) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_RETURN, [page.id])
        if cursor.rowcount != 1:
            raise LeaseLost(f"page {page.id} was renewed or finished meanwhile")
    append_event(page.job_id, "page.requeued", {"page": page.number, "state": states.QUEUED, "error": "worker_lost"})


def end_used_up_pages() -> int:
    """End pages that wait with no try left, and return their number.

    `MAAS_MAX_ATTEMPTS` allows fewer tries than when they were put back, so no worker may claim them. Without this,
    their jobs would never end, nor release the money that they hold.
    """
    ended, after = 0, UUID(int=0)
    while some := _some(after):
        ended += sum(_end(*page) for page in some)
        after = some[-1][0]
    return ended


def _some(after: UUID) -> list[tuple[UUID, UUID, UUID]]:
    values: dict[str, int | UUID] = {"most": settings.MAAS_MAX_ATTEMPTS, "after": after, "batch": BATCH}
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_USED_UP, values)
        return list(cursor.fetchall())


def _end(page_id: UUID, job_id: UUID, tenant_id: UUID) -> bool:
    try:
        page = with_findings(tenant_id, job_id, partial(_end_used_up, page_id, job_id))
    except LeaseLost:
        return False
    except Exception as error:
        if is_operators(error):
            raise
        log.exception("page_not_ended", page_id=str(page_id), job_id=str(job_id))
        return False
    if page is None:
        return False
    log.warning("page_attempts_exhausted", page_id=str(page_id), job_id=str(job_id), attempt=page.attempt)
    return True


def _end_used_up(page_id: UUID, job_id: UUID, findings: Findings | None) -> Page | None:
    """Return the page that was ended, or None if there was none to end or its job is locked."""
    with _locked(job_id) as locked:
        waiting = Page.objects.filter(id=page_id, state=states.QUEUED)
        used_up = waiting.filter(attempt__gte=settings.MAAS_MAX_ATTEMPTS).defer("result")
        page = used_up.select_for_update().first() if locked else None
        if page is not None:
            why = Failure(page.error_code, page.error_detail) if page.error_code else LOST
            fail_waiting_page(page, why, findings)
        return page
