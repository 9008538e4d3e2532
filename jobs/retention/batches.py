"""Forgets what a batch was given to say and what was wrong with its lines, when an account's days for results are over.

Its files go by days of their own. The batch stays, as what was asked for, when, and what it came to.
"""

from django.db import connections

from jobs.retention.due import LINES, lines_of
from tenants.context import OPERATOR, operator_work
from tenants.keeping import everybodys_keeping

EACH = 200
"""Of one tenant in one round; what is left is for the next."""
_FORGET = f"""
UPDATE jobs_batch SET metadata = NULL, errors = NULL FROM (
    SELECT old.id FROM {LINES} CROSS JOIN LATERAL (
        SELECT id FROM jobs_batch one
        WHERE one.tenant_id = line.tenant AND one.livemode = line.live
          AND one.finished_at <= statement_timestamp() - make_interval(days => line.days)
          AND (one.metadata IS NOT NULL OR one.errors IS NOT NULL)
        ORDER BY one.finished_at LIMIT %(each)s FOR NO KEY UPDATE SKIP LOCKED
    ) old
) found WHERE jobs_batch.id = found.id
"""  # noqa: S608  # made of constants alone


def forget_words_of_batches() -> int:
    """Of how many."""
    with operator_work():
        lines = lines_of("job", everybodys_keeping())
        if not lines["tenants"]:
            return 0
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(_FORGET, {**lines, "each": EACH})
            forgotten: int = cursor.rowcount
    return forgotten
