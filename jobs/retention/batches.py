"""Forgets a batch's metadata and the faults of its lines after the retention time for results. The batch stays."""

from collections.abc import Mapping
from uuid import UUID

from django.db import connections

from jobs.retention.due import LINES, Counted, lines_of
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.plans.retention import Retention, retention_of_all

_OLD = """one.tenant_id = line.tenant AND one.livemode = line.live
          AND one.finished_at <= statement_timestamp() - make_interval(days => line.days)
          AND (one.metadata IS NOT NULL OR one.errors IS NOT NULL)"""
EACH = 200
"""The number of batches of one tenant in one round. What is left is handled in the next round."""
_FORGET = f"""
UPDATE jobs_batch SET metadata = NULL, errors = NULL FROM (
    SELECT old.id FROM {LINES} CROSS JOIN LATERAL (
        SELECT id FROM jobs_batch one
        WHERE {_OLD}
        ORDER BY one.finished_at LIMIT %(each)s FOR NO KEY UPDATE SKIP LOCKED
    ) old LIMIT 2000
) found WHERE jobs_batch.id = found.id
"""  # noqa: S608  # made of constants alone
_COUNT = f"""
SELECT line.tenant, count(*), min(one.finished_at), max(one.finished_at)
FROM {LINES} JOIN jobs_batch one ON {_OLD} GROUP BY line.tenant
"""  # noqa: S608


def counted_batches(retention: Mapping[UUID, Retention]) -> list[Counted]:
    """Count the batches that still have such content, for a preview. This is operators' work."""
    lines = lines_of("job", retention)
    if not lines["tenants"]:
        return []
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_COUNT, lines)
        return [Counted(*row) for row in cursor.fetchall()]


def forget_words_of_batches() -> int:
    """Forget such content and return the number of batches."""
    with operator_work():
        lines = lines_of("job", retention_of_all())
        if not lines["tenants"]:
            return 0
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(_FORGET, {**lines, "each": EACH})
            forgotten: int = cursor.rowcount
    return forgotten
