"""Wakes workers for queued pages, a bounded window at a time.

The page table is the outbox: a queued page without a wake under way must be told to a worker. A wake is claimed for
some seconds, then published outside the transaction; a crash between the two, or a broker that loses the message,
only means that the page is woken again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

import structlog
from django.db import connections

from inference.brokers import BrokerUnavailable
from jobs.dispatch.broker import pages_waiting, publish_page
from jobs.dispatch.demand import tell_demand
from jobs.dispatch.slots import worker_slots
from tenants.context import OPERATOR, operator_work

log = structlog.get_logger(__name__)
WAKE_S = 10
"""How long a message may be under way before it is sent again. A repeated one costs a look and no more."""
AGAIN_S = 5
"""Sooner, where the broker took no message."""
WINDOW_PER_SLOT = 2

_TAKE = """
WITH under_way AS (
    -- Two counts, so that each reads its own partial index and never the pages of the past.
    SELECT (SELECT count(*) FROM jobs_page WHERE model_version_id = %(version)s AND state = 'running')
         + (SELECT count(*) FROM jobs_page
            WHERE model_version_id = %(version)s AND state = 'queued' AND wake_again_at > clock_timestamp()) AS pages
), due AS (
    SELECT id FROM jobs_page
    WHERE model_version_id = %(version)s AND state = 'queued' AND run_after <= clock_timestamp()
      AND (wake_again_at IS NULL OR wake_again_at <= clock_timestamp())
    ORDER BY id
    LIMIT least(%(room)s, greatest(0, %(window)s - (SELECT pages FROM under_way)))
    FOR UPDATE SKIP LOCKED
)
UPDATE jobs_page SET wake_again_at = clock_timestamp() + make_interval(secs => %(wake_s)s)
-- Nobody waits for the disk: a wake that a crash of the database forgets is one that is sent again.
FROM due, (SELECT set_config('synchronous_commit', 'off', true)) AS at_once WHERE jobs_page.id = due.id
RETURNING jobs_page.id, jobs_page.tenant_id
"""

_WAKE_SOONER = """
UPDATE jobs_page SET wake_again_at = clock_timestamp() + make_interval(secs => %s)
WHERE id IN (SELECT id FROM jobs_page WHERE id = ANY(%s) AND state = 'queued' ORDER BY id FOR UPDATE SKIP LOCKED)
"""

_WAITING = """
SELECT v.id, m.name || '@' || v.number FROM inference_modelversion v
JOIN inference_servedmodel m ON m.id = v.served_model_id
WHERE EXISTS (SELECT FROM jobs_page p WHERE p.model_version_id = v.id AND p.state = 'queued')
"""


@dataclass(frozen=True)
class _Wake:
    page_id: UUID
    tenant_id: UUID


def release_version(version_id: int, version_key: str) -> int:
    """Publishes what fits the window; how many. Safe to call from any number of processes at once."""
    queue_name, window = f"infer.{version_key}", WINDOW_PER_SLOT * worker_slots()
    try:
        room = window - pages_waiting(queue_name)
    except BrokerUnavailable as error:
        log.warning("broker_unavailable", queue=queue_name, error=str(error))
        return 0
    if room <= 0:
        # What nobody fetches is not repeated: the messages are still there.
        return 0
    wakes = sorted(_take(version_id, window, room), key=lambda wake: wake.page_id)
    published = sum(1 for _ in _publish(queue_name, wakes))
    if published:
        tell_demand(version_key)
    if published < len(wakes):
        with operator_work(), connections[OPERATOR].cursor() as cursor:
            cursor.execute(_WAKE_SOONER, [AGAIN_S, [wake.page_id for wake in wakes[published:]]])
    return published


def release_after_commit(version_id: int, version_key: str) -> None:
    """For whoever just queued or finished work: a failure here delays, it loses nothing."""
    try:
        release_version(version_id, version_key)
    except Exception:
        log.exception("release_failed", version=version_key)


def waiting_versions() -> list[tuple[int, str]]:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_WAITING)
        return [(row[0], row[1]) for row in cursor.fetchall()]


def _take(version_id: int, window: int, room: int) -> list[_Wake]:
    values = {"version": version_id, "window": window, "room": room, "wake_s": WAKE_S}
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TAKE, values)
        return [_Wake(*row) for row in cursor.fetchall()]


def _publish(queue_name: str, wakes: Iterable[_Wake]) -> Iterable[_Wake]:
    for wake in wakes:
        try:
            publish_page(queue_name, tenant_id=wake.tenant_id, page_id=wake.page_id)
        except BrokerUnavailable as error:
            log.warning("broker_unavailable", queue=queue_name, error=str(error))
            return
        yield wake
