"""Orders the indexing of jobs that are not in the index, because processes without an index took or finished them."""

from uuid import UUID

from django.db import connections

from tenants.core.db.unit_of_work import OPERATOR, operator_work

JOBS_A_STEP = 1_000

_STEP = "SELECT id FROM jobs_job WHERE id > %s ORDER BY id LIMIT %s"

# Pages without text have no words and are ordered each time. Looking for a text here would cost more than finding out
# later that there is none.
_ORDER = """
INSERT INTO jobs_jobtoindex (job_id, tenant_id)
SELECT j.id, j.tenant_id FROM jobs_job j
WHERE j.id = ANY(%s) AND j.erased_at IS NULL AND (
    (j.document_id IS NOT NULL AND NOT EXISTS (SELECT FROM jobs_pagetext t WHERE t.id = j.id))
    OR EXISTS (
        SELECT FROM jobs_page p
        WHERE p.job_id = j.id AND p.state = 'succeeded' AND NOT EXISTS (SELECT FROM jobs_pagetext t WHERE t.id = p.id)
    )
)
ON CONFLICT (job_id) DO NOTHING
"""


def order_missing(after: UUID) -> int:
    """Order the indexing of missing jobs after this id, and return their number. The steps are so small that nobody has
    to wait for them.
    """
    ordered = 0
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        while ids := _next_ids(after):
            cursor.execute(_ORDER, [ids])
            ordered += cursor.rowcount
            after = ids[-1]
    return ordered


def _next_ids(after: UUID) -> list[UUID]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_STEP, [after, JOBS_A_STEP])
        return [job_id for (job_id,) in cursor.fetchall()]
