"""Takes deliveries that are due for this process to send. The lease uses the clock of the database, because many
processes send.
"""

from dataclasses import dataclass
from uuid import UUID

from django.db import connections, transaction
from django.db.models import QuerySet

from jobs.webhooks.delivery_order import WIDEST, DeliveryQueue, Standing, Waiting, chosen
from jobs.webhooks.models import WebhookDelivery, WebhookEndpoint
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.http_client.breaker import MAX_FAILURES

LEASE_S = 60
"""Seconds of a lease, which is longer than any request may take. If a process dies, its delivery is sent again after
the lease, under the same id.
"""
LOCK_ID = 0x6D616174
FROZEN_S = 3
MAX_LANES = 5_000
FIRST = UUID(int=0)

_ANY_DUE = """
SELECT EXISTS (
    SELECT FROM jobs_webhookdelivery WHERE state = 'pending' AND next_attempt_at <= statement_timestamp()
      AND (lease_until IS NULL OR lease_until <= statement_timestamp())
)
"""

_STANDING = """CASE WHEN e.failing_since IS NOT NULL THEN 2 WHEN e.succeeded_at IS NULL THEN 1 ELSE 0 END"""

_UNDER_WAY = f"""
SELECT d.endpoint_id, d.tenant_id, {_STANDING}, e.width
FROM jobs_webhookdelivery d JOIN jobs_webhookendpoint e ON e.id = d.endpoint_id
WHERE d.state = 'pending' AND d.lease_until > clock_timestamp()
"""  # noqa: S608  # made of constants alone

# Each endpoint with a pending delivery is found by one step along the index, however many deliveries wait for it.
_LANES = """
WITH RECURSIVE lane AS (
    (SELECT endpoint_id FROM jobs_webhookdelivery WHERE state = 'pending' AND endpoint_id > %(after)s
     ORDER BY endpoint_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.endpoint_id FROM jobs_webhookdelivery d
            WHERE d.state = 'pending' AND d.endpoint_id > lane.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
    FROM lane WHERE lane.endpoint_id IS NOT NULL
)
SELECT endpoint_id FROM lane WHERE endpoint_id IS NOT NULL LIMIT %(lanes)s
"""

_FREE = """
d.endpoint_id = e.id AND d.state = 'pending' AND d.next_attempt_at <= statement_timestamp()
      AND (d.lease_until IS NULL OR d.lease_until <= statement_timestamp())
"""

# An endpoint that has rested is probed with its newest delivery. This way a manual test does not wait for a backlog,
# and it is not always the same message that decides, as the endpoint may be unable to take it.
_DUE = f"""
SELECT due.id, e.id, e.tenant_id, {_STANDING}, e.width
FROM unnest(%(lanes)s::uuid[]) AS lane (endpoint_id)
JOIN jobs_webhookendpoint e ON e.id = lane.endpoint_id AND e.state = 'enabled'
    AND coalesce(greatest(e.paused_until, e.not_before) <= clock_timestamp(), true)
CROSS JOIN LATERAL (
    (SELECT d.id, d.next_attempt_at FROM jobs_webhookdelivery d
     WHERE e.failures < {MAX_FAILURES} AND {_FREE} ORDER BY d.next_attempt_at LIMIT %(each)s)
    UNION ALL
    (SELECT d.id, d.next_attempt_at FROM jobs_webhookdelivery d
     WHERE e.failures >= {MAX_FAILURES} AND {_FREE} ORDER BY d.next_attempt_at DESC LIMIT 1)
) due
ORDER BY due.next_attempt_at
"""  # noqa: S608

_TAKE = """
WITH wanted AS (
    SELECT id FROM jobs_webhookdelivery
    WHERE id = ANY(%(ids)s) AND state = 'pending' AND next_attempt_at <= clock_timestamp()
      AND (lease_until IS NULL OR lease_until <= clock_timestamp())
    FOR UPDATE SKIP LOCKED
)
UPDATE jobs_webhookdelivery d
SET lease_token = nextval('jobs_fencing_token'), lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s),
    attempts_made = attempts_made + 1
FROM wanted, jobs_webhookendpoint e, jobs_webhookmessage m
WHERE d.id = wanted.id AND e.id = d.endpoint_id AND m.id = d.message_id
RETURNING d.id, d.tenant_id, d.endpoint_id, d.lease_token, d.attempts_made,
    CASE e.kind WHEN 'jobs' THEN d.url ELSE e.url END, e.kind = 'jobs', m.id, m.body,
    e.failing_since IS NOT NULL OR e.succeeded_at IS NULL, e.width
"""


@dataclass(frozen=True)
class Held:
    """A delivery that only this process sends, for as long as its lease lasts."""

    id: UUID
    tenant_id: UUID
    endpoint_id: UUID
    token: int
    number: int
    """The number of the attempt. It is counted when the delivery is taken, so an attempt whose process dies is counted
    too.
    """
    url: str
    of_job: bool
    message_id: UUID
    body: str
    doubtful: bool
    width: int

    @property
    def delivery(self) -> "QuerySet[WebhookDelivery]":
        """Return the row of the delivery, while this process holds it."""
        return WebhookDelivery.objects.filter(id=self.id, lease_token=self.token, state=WebhookDelivery.State.PENDING)

    @property
    def endpoint(self) -> "QuerySet[WebhookEndpoint]":
        return WebhookEndpoint.objects.filter(id=self.endpoint_id)


@dataclass
class Walk:
    """The position among the endpoints from which a process looks next. Each round sees some endpoints, and the rounds
    see all of them in turn.
    """

    lanes: int = MAX_LANES
    after: UUID = FIRST
    kept_out: bool = False
    """Set if another process was looking at that moment. The walk stays at its position; otherwise the endpoints at
    its end would be seen only while no other process looks.
    """

    @property
    def goes_on(self) -> bool:
        return self.after != FIRST and not self.kept_out

    def saw(self, lanes: list[UUID]) -> None:
        self.kept_out = False
        self.after = lanes[-1] if len(lanes) == self.lanes else FIRST


def take_due(*, room: int, doubtful_room: int, walk: Walk | None = None) -> list[Held]:
    """Take at most `room` deliveries. At most `doubtful_room` of them go to endpoints that may not respond.

    Only one process takes deliveries at a time, so that all processes together keep the limits. Another process finds
    some in its next round.
    """
    walk = walk or Walk()
    if not _any_is_due():
        walk.saw([])
        return []
    with operator_work(), transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
        if not _is_alone():
            walk.kept_out = True
            return []
        cursor.execute(_UNDER_WAY)
        under_way = [_lane(*row) for row in cursor.fetchall()]
        cursor.execute(_LANES, {"lanes": walk.lanes, "after": walk.after})
        lanes = [endpoint_id for (endpoint_id,) in cursor.fetchall()]
        walk.saw(lanes)
        cursor.execute(_DUE, {"lanes": lanes, "each": WIDEST})
        waiting = [Waiting(row[0], _lane(*row[1:])) for row in cursor.fetchall()]
        wanted = chosen(waiting, under_way, room=room, doubtful_room=doubtful_room)
        cursor.execute(_TAKE, {"ids": wanted, "lease_s": LEASE_S})
        return [Held(*row) for row in cursor.fetchall()]


def _any_is_due() -> bool:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_ANY_DUE)
        return bool(cursor.fetchone()[0])


def _is_alone() -> bool:
    """Return whether this process holds the lock. A process that freezes in the middle soon loses its transaction, and
    with it the lock.
    """
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "SELECT set_config('idle_in_transaction_session_timeout', %s, true), pg_try_advisory_xact_lock(%s)",
            [f"{FROZEN_S}s", LOCK_ID],
        )
        return bool(cursor.fetchone()[1])


def _lane(endpoint_id: UUID, tenant_id: UUID, standing: int, width: int) -> DeliveryQueue:
    return DeliveryQueue(endpoint_id, tenant_id, Standing(standing), width)
