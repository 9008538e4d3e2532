"""Appends to the event log of a job, in the transaction of what happened."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connections, transaction

from jobs.core.states import TERMINAL
from jobs.events.changes import announce
from jobs.webhooks.messages import notify_of_end
from tenants.core.db.unit_of_work import current_alias
from tenants.core.messages import names_in_words

_ENDS = frozenset(f"job.{state}" for state in TERMINAL)
# The tenant's stream is ordered by (xid, id). A transaction that waited for the row of the job may have a number from
# before the transaction that held the row. It then uses the number of that transaction, and comes after it by its ids,
# which are drawn under the lock. No reader has passed a position that is later than the transaction's own: readers stop
# below every transaction that still runs, and the transaction whose number is used has ended.
_APPEND = """
WITH job AS (
    UPDATE jobs_job SET last_seq = last_seq + %(count)s, last_xid = greatest(last_xid, pg_current_xact_id())
    WHERE id = %(job)s RETURNING id, tenant_id, last_seq, last_xid, webhook_url
)
INSERT INTO jobs_event (tenant_id, job_id, seq, type, data, created_at, xid)
SELECT tenant_id, id, last_seq - %(count)s + place, type, data::jsonb, clock_timestamp(), last_xid
FROM job, unnest(%(types)s::text[], %(data)s::text[]) WITH ORDINALITY AS happened (type, data, place) ORDER BY place
RETURNING tenant_id, seq, %(ended)s AND (
    (SELECT webhook_url <> '' FROM job)
    OR EXISTS (
        SELECT FROM jobs_webhookendpoint e
        WHERE e.tenant_id = jobs_event.tenant_id AND e.kind = 'endpoint' AND e.state <> 'deleted'
    )
)
"""


class Happened(NamedTuple):
    type: str
    data: Mapping[str, object]


def append_event(job_id: UUID, event_type: str, data: Mapping[str, object]) -> int:
    return append_events(job_id, Happened(event_type, data))


def append_events(job_id: UUID, *happened: Happened) -> int:
    """Append events and return the number of the last. The job's row stays locked, so numbers have no gaps."""
    alias = current_alias()
    end = next((event.type for event in happened if event.type in _ENDS), None)
    types, data = [event.type for event in happened], [json.dumps(event.data) for event in happened]
    with connections[alias].cursor() as cursor:
        values: dict[str, Any] = {
            "job": job_id,
            "count": len(types),
            "types": types,
            "data": data,
            "ended": end is not None,
        }
        cursor.execute(_APPEND, values)
        rows = cursor.fetchall()
    if not rows:
        raise LookupError(f"job {job_id} is not there to log {names_in_words(types)}")
    tenant_id, somebody_listens = rows[0][0], rows[0][2]
    if end is not None and somebody_listens:
        notify_of_end(job_id, end)
    transaction.on_commit(lambda: announce(tenant_id, job_id, ended=end is not None), using=alias)
    return max(int(seq) for _, seq, _ in rows)
