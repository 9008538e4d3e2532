"""Claims, heartbeats and hand-backs of pages: each one conditional statement, fenced by a token, timed by the database.

Locks are always taken job first, page second.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, connections
from django.db.backends.utils import CursorWrapper
from psycopg.errors import LockNotAvailable

from jobs import states
from jobs.dispatch.events import append_event
from jobs.selectors import jobs_with_models
from tenants.context import APP, OPERATOR, operator_work, unit_of_work

LOCK_PATIENCE_MS = 2000
"""One page whose row is locked must not keep the leases of all others from being renewed."""

_CLAIM = """
UPDATE jobs_page
SET state = 'running', attempt = attempt + 1, lease_token = nextval('jobs_fence'), worker = %(worker)s,
    lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s),
    started_at = coalesce(started_at, clock_timestamp())
WHERE id = %(page)s AND attempt < %(max_attempts)s AND run_after <= clock_timestamp()
  AND (state = 'queued' OR (state = 'running' AND lease_until < clock_timestamp()))
RETURNING lease_token, attempt, number
"""

_START_JOB = """
UPDATE jobs_job SET state = 'running', started_at = clock_timestamp() WHERE id = %s AND state = 'queued'
"""

_RENEW = """
UPDATE jobs_page SET lease_until = clock_timestamp() + make_interval(secs => %s)
WHERE id = %s AND lease_token = %s AND state = 'running'
"""

_HAND_BACK = """
UPDATE jobs_page
SET state = 'queued', attempt = attempt - 1, lease_token = NULL, lease_until = NULL, wake_again_at = NULL
WHERE id = %s AND lease_token = %s AND state = 'running'
"""


@dataclass(frozen=True)
class Claim:
    """The right to work on one page, as long as the lease is renewed and the token is the latest."""

    tenant_id: UUID
    job_id: UUID
    page_id: UUID
    number: int
    attempt: int
    token: int
    model_version_id: int
    model_key: str
    document_id: UUID | None
    input: Mapping[str, Any] | None
    parameters: Mapping[str, Any]


def claim_page(tenant_id: UUID, page_id: UUID, worker: str) -> Claim | None:
    """None when there is nothing to do: done, canceled, held by another, or unknown. Any message may be a repeat."""
    with unit_of_work(tenant_id):
        job = (
            jobs_with_models().select_for_update(of=("self",), no_key=True).filter(pages__id=page_id).first()
        )
        if job is None or job.terminal:
            return None
        with connections[APP].cursor() as cursor:
            cursor.execute(
                _CLAIM,
                {
                    "page": page_id,
                    "worker": worker,
                    "lease_s": settings.MAAS_LEASE_S,
                    "max_attempts": settings.MAAS_MAX_ATTEMPTS,
                },
            )
            row = cursor.fetchone()
            if row is None:
                return None
            cursor.execute(_START_JOB, [job.id])
            started = cursor.rowcount == 1
        token, attempt, number = row
        if started:
            append_event(job.id, "job.running", {"state": states.RUNNING})
        append_event(job.id, "page.running", {"page": number, "attempt": attempt, "state": states.RUNNING})
        return Claim(
            tenant_id=tenant_id,
            job_id=job.id,
            page_id=page_id,
            number=number,
            attempt=attempt,
            token=token,
            model_version_id=job.model_version_id,
            model_key=job.model_version.key,
            document_id=job.document_id,
            # Megabytes, maybe: read only where it is the work itself.
            input=job.input if job.document_id is None else None,
            parameters=job.parameters,
        )


def renew_leases(claims: Sequence[Claim]) -> set[int]:
    """The tokens that are still good. A missing one means: stop, another has the page or nobody wants it.

    A statement each: one statement for all would lock several pages in an order of its own.
    """
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{LOCK_PATIENCE_MS}ms"])
        return {claim.token for claim in claims if _renewed(cursor, claim)}


def _renewed(cursor: CursorWrapper, claim: Claim) -> bool:
    try:
        cursor.execute(_RENEW, [settings.MAAS_LEASE_S, claim.page_id, claim.token])
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            # Somebody is at this page just now; whether it is still ours, the next round will tell.
            return True
        raise
    return bool(cursor.rowcount == 1)


def hand_back(claim: Claim) -> None:
    """Returns a page that was not worked on (a worker that is stopping); the attempt does not count."""
    with unit_of_work(claim.tenant_id), connections[APP].cursor() as cursor:
        cursor.execute(_HAND_BACK, [claim.page_id, claim.token])
