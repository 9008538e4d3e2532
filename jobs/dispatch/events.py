"""Appends to a job's event log, in the transaction of what happened."""

import json
from collections.abc import Mapping
from uuid import UUID

from django.db import connections, transaction

from jobs.dispatch.changes import announce
from jobs.states import TERMINAL
from tenants.context import current_alias

_ENDS = frozenset(f"job.{state}" for state in TERMINAL)
_APPEND = """
WITH job AS (
    UPDATE jobs_job SET last_seq = last_seq + 1 WHERE id = %(job)s RETURNING id, tenant_id, last_seq
)
INSERT INTO jobs_event (tenant_id, job_id, seq, type, data, created_at)
SELECT tenant_id, id, last_seq, %(type)s, %(data)s::jsonb, clock_timestamp() FROM job
RETURNING tenant_id
"""


def append_event(job_id: UUID, event_type: str, data: Mapping[str, object]) -> None:
    """Locks the job's row until the transaction ends, which is what numbers events without gaps."""
    alias = current_alias()
    with connections[alias].cursor() as cursor:
        cursor.execute(_APPEND, {"job": job_id, "type": event_type, "data": json.dumps(data)})
        row = cursor.fetchone()
    if row is None:
        raise LookupError(f"job {job_id} is not there to log {event_type}")
    tenant_id, ended = row[0], event_type in _ENDS
    transaction.on_commit(lambda: announce(tenant_id, job_id, ended=ended), using=alias)
