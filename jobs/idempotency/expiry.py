"""Limits how long a key is remembered or held, and erases it after that."""

from datetime import timedelta

from django.db import connections
from django.db.models import QuerySet
from django.db.models.functions import Now

from jobs.idempotency.models import HeldKey, IdempotencyKey
from tenants.core.db.unit_of_work import OPERATOR, operator_work

REMEMBERED = timedelta(hours=24)
BATCH = 500
BATCHES = 40

_ERASE = """
DELETE FROM jobs_idempotencykey WHERE id IN (
    SELECT id FROM jobs_idempotencykey WHERE created_at <= statement_timestamp() - make_interval(secs => %s)
    ORDER BY created_at LIMIT %s FOR UPDATE SKIP LOCKED
)
"""


def remembered_keys() -> "QuerySet[IdempotencyKey]":
    return IdempotencyKey.objects.filter(created_at__gt=Now() - REMEMBERED)


def erase_forgotten_keys() -> int:
    """Erase forgotten keys and return their number. The work is bounded; what is left is handled in the next round."""
    erased = 0
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        for _ in range(BATCHES):
            cursor.execute(_ERASE, [REMEMBERED.total_seconds(), BATCH])
            erased += cursor.rowcount
            if cursor.rowcount < BATCH:
                break
        # There are few of these, left by requests whose process died. Other requests release theirs.
        HeldKey.objects.filter(ends_at__lte=Now()).delete()
    return erased
