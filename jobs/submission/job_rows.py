"""Writes a job's first event and waiting pages in one statement, since the caller waits for each statement."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import connections, transaction

from jobs.core import states
from jobs.core.models import Job
from jobs.events.changes import announce
from tenants.core.db.unit_of_work import APP
from tenants.core.ids import uuid7

FIRST_SEQ = 1
# No other process knows the job yet, so its row need not be locked: it was written with this number. The position of
# its event in the tenant's stream is that of the transaction, by the default of the column, as the row of the job
# stores it.
_WRITE = """
WITH event AS (
    INSERT INTO jobs_event (tenant_id, job_id, seq, type, data, created_at)
    VALUES (%(tenant)s, %(job)s, %(seq)s, 'job.queued', %(data)s::jsonb, clock_timestamp())
)
INSERT INTO jobs_page (id, tenant_id, job_id, model_version_id, number, priority, state, attempt, worker, error_code,
                       error_detail, cost_micros)
SELECT id, %(tenant)s, %(job)s, %(version)s, number, %(priority)s, %(queued)s, 0, '', '', '', 0
FROM unnest(%(ids)s::uuid[], %(numbers)s::int[]) AS page (id, number)
"""


def write_beginning(job: Job, numbers: Sequence[int]) -> None:
    """Write the first event and the pages to run (`numbers`), in the transaction that has written the job."""
    values: dict[str, Any] = {
        "tenant": job.tenant_id,
        "job": job.id,
        "seq": FIRST_SEQ,
        "data": json.dumps({"state": states.QUEUED, "pages_total": job.pages_total}),
        "version": job.model_version_id,
        "priority": job.priority,
        "queued": states.QUEUED,
        "ids": [uuid7() for _ in numbers],
        "numbers": list(numbers),
    }
    with connections[APP].cursor() as cursor:
        cursor.execute(_WRITE, values)
    transaction.on_commit(partial(announce, job.tenant_id, job.id), using=APP)
