"""Test that a look for due deliveries reads few rows, however many wait for an endpoint."""

import json
from collections.abc import Iterator
from uuid import UUID

import pytest
from django.db import connections

from jobs.webhooks import claims
from jobs.webhooks.delivery_order import WIDEST
from tenants.core.db.unit_of_work import OPERATOR, operator_work

from .conftest import Post, Receiver

ENDPOINTS, OF_EACH, OF_ONE = 100, 20, 5_000
_MORE_ENDPOINTS = """
INSERT INTO jobs_webhookendpoint
    (id, tenant_id, kind, url, livemode, description, events, state, disabled_reason, given_up)
SELECT gen_random_uuid(), tenant_id, kind, url || n, livemode, description, events, state, disabled_reason, given_up
FROM jobs_webhookendpoint, generate_series(1, %s) n WHERE id = %s
"""
_MESSAGES = """
INSERT INTO jobs_webhookmessage (id, tenant_id, type, body)
SELECT gen_random_uuid(), %s, 'job.succeeded', '{}' FROM generate_series(1, %s)
"""
_DELIVERIES = """
INSERT INTO jobs_webhookdelivery
    (id, tenant_id, message_id, endpoint_id, url, state, attempts_made, step, next_attempt_at, error_code)
SELECT gen_random_uuid(), e.tenant_id, m.id, e.id, '', 'pending', 0, 0, now() - random() * interval '1 hour', ''
FROM jobs_webhookendpoint e CROSS JOIN LATERAL (
    SELECT id FROM jobs_webhookmessage WHERE tenant_id = e.tenant_id LIMIT CASE WHEN e.id = %s THEN %s ELSE %s END
) m WHERE e.tenant_id = %s
"""


@pytest.fixture
def crowd(post: Post, receiver: Receiver) -> Iterator[None]:
    one, tenant_id = post.endpoint(receiver).endpoint.id, post.desk.identity.tenant_id
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_MORE_ENDPOINTS, [ENDPOINTS, one])
        cursor.execute(_MESSAGES, [tenant_id, OF_ONE])
        cursor.execute(_DELIVERIES, [one, OF_ONE, OF_EACH, tenant_id])
    yield
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute("DELETE FROM jobs_webhookdelivery WHERE tenant_id = %s", [tenant_id])
        cursor.execute("DELETE FROM jobs_webhookmessage WHERE tenant_id = %s", [tenant_id])
        cursor.execute("DELETE FROM jobs_webhookendpoint WHERE tenant_id = %s AND id <> %s", [tenant_id, one])


@pytest.mark.usefixtures("crowd")
def test_a_look_reads_a_few_of_each_endpoint_and_not_what_waits_for_all() -> None:
    """The result does not depend on whether the planner has statistics about the rows."""
    a_look_reads_little()
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute("ANALYZE jobs_webhookdelivery, jobs_webhookendpoint")
    a_look_reads_little()


def a_look_reads_little() -> None:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(claims._LANES, {"lanes": claims.MAX_LANES, "after": UUID(int=0)})
        lanes = [endpoint_id for (endpoint_id,) in cursor.fetchall()]
        assert len(lanes) == ENDPOINTS + 1
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {claims._DUE}", {"lanes": lanes, "each": WIDEST})
        answer = cursor.fetchone()[0]
    plan = (json.loads(answer) if isinstance(answer, str) else answer)[0]["Plan"]
    assert plan["Actual Rows"] == WIDEST * len(lanes)
    # This is a little for each endpoint. The deliveries of the endpoint with the most would fill as much by themselves.
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 1_000
