"""Notifies workers of queued pages, a bounded window at a time.

The page table is the outbox: a queued page without a notification under way must be announced to a worker. A
notification is claimed for some seconds, then published outside the transaction. If the process crashes between the
two, or the broker loses the message, the page is only announced again. The order of the pages is decided in
jobs/queue/fairness.py.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

import structlog
from django.conf import settings
from django.db import close_old_connections, connections, transaction

from inference.registry.tiers import current_tiers
from inference.tiers.routes import Tiers
from inference.workers.brokers import BrokerUnavailable
from jobs.core.models import Job
from jobs.documents.job_selectors import get_job
from jobs.events.broker import pages_waiting, publish_page
from jobs.queue.demand import publish_demand
from jobs.queue.fair_release import Capacity, take, wake_s
from jobs.queue.fairness import UNKNOWN_COST_S, Notification, overtaken_s, release_window, slots_of_one
from jobs.queue.one_at_a_time import Apart, OneAtATime
from jobs.queue.slots import fleet_of
from jobs.queue.tiered_release import Released, take_for_pools
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work, unit_of_work

log = structlog.get_logger(__name__)
_releasing = OneAtATime()
_apart: Apart | None = None
"""Set in a process that answers callers, so that none of them waits until workers have been notified."""
AGAIN_S = 5
"""Seconds until a page that could not be announced is announced again. No message for it is under way."""

_WAKE_SOONER = """
UPDATE jobs_page SET renotify_at = clock_timestamp() + make_interval(secs => %s)
WHERE id IN (SELECT id FROM jobs_page WHERE id = ANY(%s) AND state = 'queued' ORDER BY id FOR UPDATE SKIP LOCKED)
"""

_FORGET_WAKES = """
UPDATE jobs_page SET renotify_at = NULL, run_after = least(run_after, clock_timestamp())
WHERE job_id = %s AND state = 'queued'
"""

ANY_QUEUED = "EXISTS (SELECT FROM jobs_page WHERE state = 'queued')"
_WAITING = """
SELECT v.id, m.name || coalesce('.' || replace(m.tenant_id::text, '-', ''), '') || '@' || v.number
FROM inference_modelversion v
JOIN inference_servedmodel m ON m.id = v.served_model_id
WHERE EXISTS (SELECT FROM jobs_page p WHERE p.model_version_id = v.id AND p.state = 'queued')
"""


def release_version(version_id: int, version_key: str) -> int:
    """Publish the pages that fit the window and return their number. Any number of processes may call this at once."""
    tiers = current_tiers()
    if tiers.in_use:
        return _release_to_pools(version_id, version_key, tiers)
    queue_name, fleet = f"infer.{version_key}", fleet_of(version_key)
    window = release_window(fleet.slots, fleet.service_s)
    try:
        at_hand = pages_waiting(queue_name)
    except BrokerUnavailable as error:
        log.warning("broker_unavailable", queue=queue_name, error=str(error))
        return 0
    if at_hand >= window:
        # Messages that no worker fetches are not repeated, since they are still there.
        return 0
    cost_s = fleet.service_s or UNKNOWN_COST_S
    passing_s = overtaken_s(fleet.slots, fleet.service_s, wake_s()) if at_hand else 0.0
    share = slots_of_one(fleet.slots) if settings.MAAS_PAGES_AT_ONCE is None else 0
    wakes = take(Capacity(version_id, window, window - at_hand, cost_s, fleet.hefts, share, passing_s))
    return _announce(Released(version_key, None, wakes))


def _release_to_pools(version_id: int, version_key: str, tiers: Tiers) -> int:
    try:
        return sum(_announce(released) for released in take_for_pools(version_id, version_key, tiers))
    except BrokerUnavailable as error:
        log.warning("broker_unavailable", queue=f"infer.{version_key}", error=str(error))
        return 0


def _announce(released: Released) -> int:
    """Publish pages that were taken, and return how many were. The others are announced again soon."""
    wakes = released.wakes
    published = sum(1 for _ in _publish(released))
    if published:
        publish_demand(released.key)
    if published < len(wakes):
        with operator_work(), connections[OPERATOR].cursor() as cursor:
            cursor.execute(_WAKE_SOONER, [AGAIN_S, [wake.page_id for wake in wakes[published:]]])
    return published


def release_after_commit(version_id: int, version_key: str) -> None:
    """Release pages after work was queued or finished. A failure only delays. One thread releases for all."""
    if _apart is None:
        _release(version_id, version_key)
    else:
        _apart.run(version_id, partial(_release_with_live_connection, version_id, version_key))


@contextmanager
def releasing_apart(threads: int = 2) -> Iterator[None]:
    """Release pages in separate threads within this context. Requests that arrive at the same moment are handled
    together.
    """
    global _apart  # noqa: PLW0603  # there is one for the process, like the connections that it uses
    _apart = apart = Apart("release", threads)
    try:
        yield
    finally:
        _apart = None
        apart.close()


def _release(version_id: int, version_key: str) -> None:
    try:
        _releasing.run(version_id, partial(release_version, version_id, version_key))
    except Exception:
        log.exception("page_release_failed", version=version_key)


def _release_with_live_connection(version_id: int, version_key: str) -> None:
    close_old_connections()
    try:
        _release(version_id, version_key)
    finally:
        close_old_connections()


def waiting_versions() -> list[tuple[int, str]]:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_WAITING)
        return [(row[0], row[1]) for row in cursor.fetchall()]


def _publish(released: Released) -> Iterable[Notification]:
    queue_name = f"infer.{released.key}"
    for wake in released.wakes:
        try:
            publish_page(
                queue_name, tenant_id=wake.tenant_id, page_id=wake.page_id, first=wake.first, pool=released.pool
            )
        except BrokerUnavailable as error:
            log.warning("broker_unavailable", queue=queue_name, error=str(error))
            return
        yield wake


def republish_pages(job: Job) -> int:
    """Announce the queued pages of a job again, end their back-off, and return how many wait. Repeats are harmless."""
    with unit_of_work(job.tenant_id):
        get_job(job.id, for_update=True)
        with connections[APP].cursor() as cursor:
            cursor.execute(_FORGET_WAKES, [job.id])
            queued = int(cursor.rowcount)
        if queued:
            release = partial(release_after_commit, job.model_version_id, job.model_version.engine_key)
            transaction.on_commit(release, using=APP)
    return queued
