"""The time that the state machine controls. Nothing becomes due and no lease ends until the machine says so."""

from uuid import UUID

from django.db import connections

from tenants.core.db.unit_of_work import OPERATOR

_OURS = "job_id IN (SELECT id FROM jobs_job WHERE request_id = %s)"
_HOLD_STILL = f"""
UPDATE jobs_page SET run_after = clock_timestamp() + interval '10 s'
WHERE {_OURS} AND state = 'queued' AND run_after > clock_timestamp() AND run_after < clock_timestamp() + interval '10 s'
"""
_COME_DUE = f"""
UPDATE jobs_page SET run_after = clock_timestamp() - interval '1 s', renotify_at = NULL
WHERE {_OURS} AND state = 'queued' AND run_after > clock_timestamp()
"""
_LET_LEASES_END = f"""
UPDATE jobs_page SET lease_until = clock_timestamp() - interval '1 s' WHERE {_OURS} AND state = 'running'
"""


def hold_still(request_id: str) -> None:
    """Extend short waits, so that none ends meanwhile and the speed of the test decides nothing."""
    _execute(_HOLD_STILL, request_id)


def come_due(request_id: str) -> None:
    _execute(_COME_DUE, request_id)


def let_leases_end(request_id: str) -> None:
    _execute(_LET_LEASES_END, request_id)


def let_lease_end(request_id: str, page_id: UUID) -> None:
    _execute(f"{_LET_LEASES_END} AND id = %s", request_id, page_id)


def _execute(statement: str, *values: str | UUID) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(statement, values)
