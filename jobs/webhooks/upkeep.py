"""Ends deliveries to endpoints that no longer exist, and erases rows that are too old."""

from django.db import connections

from tenants.core.db.unit_of_work import OPERATOR, operator_work

KEPT_DAYS = 30
BATCH = 500
BATCHES = 20

_END_STRANDED = """
WITH stranded AS (
    SELECT d.id FROM jobs_webhookendpoint e JOIN jobs_webhookdelivery d ON d.endpoint_id = e.id
    WHERE e.state <> 'enabled' AND d.state = 'pending'
      AND (d.lease_until IS NULL OR d.lease_until <= statement_timestamp())
    LIMIT %(most)s FOR UPDATE OF d SKIP LOCKED
)
UPDATE jobs_webhookdelivery d
SET state = 'failed', error_code = 'endpoint_disabled', next_attempt_at = NULL, lease_token = NULL,
    lease_until = NULL, ended_at = clock_timestamp()
FROM stranded WHERE d.id = stranded.id
"""

# Deliveries and attempts are erased with their message. A message with a delivery that is still under way, or was
# replayed, stays until that has ended.
_ERASE_OLD = """
DELETE FROM jobs_webhookmessage WHERE id IN (
    SELECT m.id FROM jobs_webhookmessage m
    WHERE m.created_at < statement_timestamp() - make_interval(days => %(days)s)
      AND NOT EXISTS (SELECT FROM jobs_webhookdelivery d WHERE d.message_id = m.id AND d.state = 'pending')
    ORDER BY m.created_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
"""

_ERASE_DELETED = """
DELETE FROM jobs_webhookendpoint WHERE id IN (
    SELECT e.id FROM jobs_webhookendpoint e
    WHERE e.state = 'deleted' AND e.disabled_at < statement_timestamp() - make_interval(days => %(days)s)
      AND NOT EXISTS (SELECT FROM jobs_webhookdelivery d WHERE d.endpoint_id = e.id AND d.tenant_id = e.tenant_id)
    LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
"""

# This erases the queues of servers that jobs named and that no job has named for that time, because a tenant may only
# name a limited number at a time. A queue is created again if a job names its server again, or if an unfinished job has
# to notify it (jobs/webhooks/messages.py). An account that is being erased could not create it, so the queues of closed
# accounts stay.
_ERASE_IDLE = """
DELETE FROM jobs_webhookendpoint WHERE id IN (
    SELECT e.id FROM jobs_webhookendpoint e
    WHERE e.kind = 'jobs' AND EXISTS (SELECT FROM tenants_tenant t WHERE t.id = e.tenant_id AND t.state = 'active')
      AND e.created_at < statement_timestamp() - make_interval(days => %(days)s)
      AND NOT EXISTS (SELECT FROM jobs_webhookdelivery d WHERE d.endpoint_id = e.id AND d.tenant_id = e.tenant_id)
    LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
"""

_ERASE_SECRETS = """
DELETE FROM jobs_webhooksecret WHERE id IN (
    SELECT id FROM jobs_webhooksecret WHERE ends_at < statement_timestamp() LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
"""


def end_stranded_deliveries() -> int:
    return _some(_END_STRANDED)


def erase_old_webhooks() -> int:
    """Erase old rows and return how many, without the rows that are deleted with them. The number is bounded; the rest
    is left for the next round.
    """
    return sum(_some(statement) for statement in (_ERASE_OLD, _ERASE_DELETED, _ERASE_IDLE, _ERASE_SECRETS))


def _some(statement: str) -> int:
    changed = 0
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        for _ in range(BATCHES):
            cursor.execute(statement, {"most": BATCH, "days": KEPT_DAYS})
            changed += cursor.rowcount
            if cursor.rowcount < BATCH:
                break
    return changed
