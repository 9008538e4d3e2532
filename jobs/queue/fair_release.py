"""Takes the pages that are released next, at most as many as fit. Their order is decided in jobs/queue/fairness.py.

Only one transaction at a time releases pages of a version, for the time of a few statements. The pages are counted
under the lock, including all that other transactions took before. So together they never take more than fits, nor a
page twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import itemgetter
from typing import Any
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import OperationalError, connections, transaction
from psycopg.errors import LockNotAvailable

from jobs.core.priorities import BULK
from jobs.queue.fairness import Notification, Shares, TenantQueue, foremost, newcomers_first, turns
from jobs.queue.waiting_queues import (
    BUSY,
    LIMITED,
    LOST,
    OF_LINE,
    WAITS,
    take_lost_of_limited,
    waiting_lines,
    with_pages,
    with_room,
    with_share,
)
from tenants.core.db.unit_of_work import OPERATOR, operator_work

WAKE_S = 10
"""Seconds that a message may be under way before it is sent again. A repeated message costs only a look-up."""
LOCK_TIMEOUT_MS = 100
"""The time to wait for other transactions that release pages of the version. After it, the scheduler does the work."""
LOCK_CLASS = 0x6D61617352 << 24

# No commit waits for the disk: if a crash of the database loses a notification, it is sent again. A transaction that is
# frozen in the middle holds up the releases of the version for this long and no longer.
_LOCK_TIMEOUT = """
SELECT set_config('lock_timeout', %s, true), set_config('synchronous_commit', 'off', true),
    set_config('idle_in_transaction_session_timeout', '2s', true)
"""
_ALONE = "SELECT pg_advisory_xact_lock(%s)"

# A page may pass what lies at hand if its tenant has nothing under way and all messages are recent. This is looked up
# once for all pages that are taken, each part by its own partial index.
_OTHERS = """
busy AS MATERIALIZED (
    SELECT tenant_id, NULL::timestamptz AS renotify_at FROM jobs_page
    WHERE %(overtaken_s)s > 0 AND model_version_id = %(version)s AND state = 'running'
    UNION ALL
    SELECT tenant_id, renotify_at FROM jobs_page
    WHERE %(overtaken_s)s > 0 AND model_version_id = %(version)s AND state = 'queued'
      AND renotify_at > statement_timestamp()
), passed AS MATERIALIZED (
    SELECT EXISTS (
        SELECT FROM busy
        WHERE renotify_at < statement_timestamp() + make_interval(secs => %(wake_s)s - %(overtaken_s)s)
    ) AS for_long
)"""
_NEWCOMER = f"""CASE WHEN %(overtaken_s)s > 0 AND jobs_page.priority < {BULK} AND NOT (SELECT for_long FROM passed)
    AND jobs_page.tenant_id NOT IN (SELECT tenant_id FROM busy) THEN jobs_page.priority END"""  # noqa: S608

# Messages that were lost are taken before anything else, and pass nothing. Waiting pages are taken only if all of them
# fit and none of their tenants has a limit. Otherwise the order matters and is decided elsewhere. The same holds for
# lost pages of tenants with a limit.
_TAKE_WHAT_FITS = f"""
WITH {_OTHERS}, under_way AS (
    -- Two counts, so that each reads its own partial index and never the pages of the past.
    SELECT (SELECT count(*) FROM jobs_page WHERE model_version_id = %(version)s AND state = 'running')
         + (SELECT count(*) FROM jobs_page WHERE model_version_id = %(version)s AND state = 'queued'
            AND renotify_at > statement_timestamp()) AS pages
), room AS (
    SELECT least(%(room)s, greatest(0, %(window)s - pages)) AS pages FROM under_way
), lost AS (
    SELECT page.id, page.tenant_id FROM jobs_page page JOIN tenants_chosenlimits tenant ON tenant.id = page.tenant_id
    WHERE {LOST} AND NOT {LIMITED}
    LIMIT (SELECT pages FROM room)
    FOR UPDATE OF page SKIP LOCKED
), of_limited AS (
    SELECT EXISTS (
        SELECT FROM jobs_page page JOIN tenants_chosenlimits tenant ON tenant.id = page.tenant_id
        WHERE {LOST} AND {LIMITED}
    ) AS lost
), waiting AS MATERIALIZED (
    SELECT id, tenant_id FROM jobs_page WHERE {WAITS} LIMIT (SELECT pages + 1 FROM room)
), rest AS (
    SELECT (SELECT pages FROM room) - (SELECT count(*) FROM lost) AS pages
), verdict AS (
    SELECT (SELECT count(*) FROM waiting) <= rest.pages AND NOT of_limited.lost AND NOT EXISTS (
        SELECT FROM tenants_chosenlimits WHERE id IN (SELECT tenant_id FROM waiting)
          AND (state <> 'active' OR coalesce(pages_at_once, %(at_once)s) > 0)
    ) AND NOT EXISTS (
        SELECT FROM (SELECT tenant_id FROM waiting UNION ALL {BUSY}) page
        JOIN tenants_chosenlimits tenant ON tenant.id = page.tenant_id
        WHERE %(share)s > 0 AND tenant.pages_at_once IS NULL AND tenant_id IN (SELECT tenant_id FROM waiting)
        GROUP BY tenant_id HAVING count(*) > %(share)s
    ) AS fits, rest.pages AS rest, of_limited.lost FROM rest, of_limited
), taken AS (
    SELECT id, tenant_id FROM jobs_page
    WHERE id IN (SELECT id FROM waiting) AND (SELECT fits FROM verdict)
      -- As of this moment. By its own key, and never through an index of the queue.
      AND lower(state) = 'queued' AND renotify_at IS NULL
    FOR UPDATE SKIP LOCKED
), woken AS (
    UPDATE jobs_page SET renotify_at = clock_timestamp() + make_interval(secs => %(wake_s)s)
    FROM (SELECT id, true AS again FROM lost UNION ALL SELECT id, false FROM taken) one WHERE jobs_page.id = one.id
    RETURNING jobs_page.id, jobs_page.tenant_id, CASE WHEN NOT one.again THEN {_NEWCOMER} END AS newcomer
)
SELECT fits, rest, lost, woken.id, woken.tenant_id, woken.newcomer
FROM verdict LEFT JOIN woken ON true ORDER BY woken.id
"""  # noqa: S608  # made of constants alone

TAKE_CHOSEN = f"""
WITH {_OTHERS}, chosen AS (
    SELECT page.id FROM unnest(%(tenants)s::uuid[], %(priorities)s::smallint[], %(pages)s::int[])
        AS line (tenant_id, priority, pages)
    CROSS JOIN LATERAL (
        SELECT id FROM jobs_page page WHERE {WAITS} AND {OF_LINE} LIMIT line.pages FOR UPDATE SKIP LOCKED
    ) page
)
UPDATE jobs_page SET renotify_at = clock_timestamp() + make_interval(secs => %(wake_s)s), pool = %(pool)s
FROM chosen WHERE jobs_page.id = chosen.id
RETURNING jobs_page.queue_at, jobs_page.id, jobs_page.tenant_id, jobs_page.priority, {_NEWCOMER}
"""  # noqa: S608

# A row that is behind the virtual time of the version has no meaning any more, except for the row that holds this time.
_REMEMBER = """
WITH moved AS (
    INSERT INTO jobs_fairshare (id, tenant_id, model_version_id, priority, began, ends)
    SELECT gen_random_uuid(), line.tenant_id, %(version)s, line.priority, %(now)s, line.ends
    FROM unnest(%(tenants)s::uuid[], %(priorities)s::smallint[], %(ends)s::float8[])
        AS line (tenant_id, priority, ends)
    ON CONFLICT (model_version_id, tenant_id, priority) DO UPDATE SET began = EXCLUDED.began, ends = EXCLUDED.ends
)
DELETE FROM jobs_fairshare WHERE model_version_id = %(version)s AND ends <= %(now)s AND began < %(now)s
  AND (tenant_id, priority) NOT IN (SELECT * FROM unnest(%(tenants)s::uuid[], %(priorities)s::smallint[]))
"""


@dataclass(frozen=True, slots=True)
class Capacity:
    version_id: int
    window: int
    """The number of pages of the version that may be under way."""
    pages: int
    """The largest number of pages that the broker's queue takes."""
    cost_s: float
    """The time that a page takes, as far as it is known."""
    hefts: Mapping[str, float] = field(default_factory=dict)
    """The relative cost of a page, in usual pages, by tenant. Tenants with usual pages are left out."""
    share: int = 0
    """The number of pages that a tenant may have under way if no limit was set for it. 0 means any number."""
    overtaken_s: float = 0.0
    """The age of messages up to which newcomers pass them. No page passes if any message is older, or if this is 0."""


def wake_s() -> float:
    """Return the time after which a message is sent again: no longer than a lease, as its worker may have died."""
    return min(WAKE_S, settings.MAAS_LEASE_S)


def take(room: Capacity) -> list[Notification]:
    """Take the next pages and return them in the order in which they are to be announced."""
    try:
        with operator_work(), transaction.atomic(using=OPERATOR):
            fitted = _take_what_fits(room)
            if fitted.all_fits or not fitted.rest:
                return newcomers_first(fitted.wakes)
            lost = take_lost_of_limited(room.version_id, fitted.rest, wake_s()) if fitted.lost_of_limited else []
            by_turns = _take_by_turns(room, fitted.rest - len(lost))
            return newcomers_first([*fitted.wakes, *lost, *by_turns])
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            return []
        raise


def lock_version(version_id: int) -> None:
    """Keep other transactions from releasing pages of the version until this one ends. Raises LockNotAvailable."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_LOCK_TIMEOUT, [f"{LOCK_TIMEOUT_MS}ms"])
        cursor.execute(_ALONE, [LOCK_CLASS + version_id])


@dataclass(frozen=True, slots=True)
class _Fitted:
    all_fits: bool
    rest: int
    """The number of further pages that fit."""
    lost_of_limited: bool
    wakes: list[Notification]


def _take_what_fits(room: Capacity) -> _Fitted:
    """Take the waiting pages if all fit. The lock and the statement need one round trip, as most often this is all."""
    values = {
        "version": room.version_id,
        "window": room.window,
        "room": room.pages,
        "at_once": settings.MAAS_PAGES_AT_ONCE or 0,
        "share": room.share,
        "wake_s": wake_s(),
        "overtaken_s": room.overtaken_s,
    }
    connections[OPERATOR].ensure_connection()
    connection: psycopg.Connection[Any] = connections[OPERATOR].connection
    with connections[OPERATOR].wrap_database_errors, psycopg.Cursor(connection) as cursor:
        with connection.pipeline():
            cursor.execute(_LOCK_TIMEOUT, [f"{LOCK_TIMEOUT_MS}ms"])
            cursor.execute(_ALONE, [LOCK_CLASS + room.version_id])
            cursor.execute(_TAKE_WHAT_FITS, values)
        while cursor.nextset():
            pass
        rows = cursor.fetchall()
    wakes = [Notification(page, tenant, newcomer) for *_, page, tenant, newcomer in rows if page is not None]
    fits, rest, lost, *_ = rows[0]
    return _Fitted(fits, rest, lost, wakes)


def _take_by_turns(room: Capacity, pages: int) -> list[Notification]:
    if not pages:
        return []
    lines, chosen = _chosen(room, pages)
    if not chosen.order:
        return []
    of_place = {position: lines[position] for position in chosen.ends}
    values: dict[str, Any] = {
        "version": room.version_id,
        "wake_s": wake_s(),
        "overtaken_s": room.overtaken_s,
        "pool": None,
        "now": chosen.now,
        **values_of(chosen, of_place),
    }
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(TAKE_CHOSEN, values)
        taken = cursor.fetchall()
        cursor.execute(_REMEMBER, values)
    return list(in_order(chosen, lines, taken))


def values_of(chosen: Shares, of_place: Mapping[int, TenantQueue]) -> dict[str, list[Any]]:
    """Return the queues that release pages, the pages of each and their ends, as the statements take them."""
    return {
        "tenants": [queue.tenant for queue in of_place.values()],
        "priorities": [queue.priority for queue in of_place.values()],
        "pages": [chosen.pages_of(position) for position in of_place],
        "ends": [chosen.ends[position] for position in of_place],
    }


def _chosen(room: Capacity, pages: int) -> tuple[Sequence[TenantQueue], Shares]:
    """Choose the queues that release the next pages. Pages are counted only in queues that may release some."""
    waiting = waiting_lines(room.version_id, room.hefts)
    within = with_share(room.version_id, replace(waiting, lines=with_room(waiting.lines)), room.share)
    lines = [queue for queue in within if queue.room != 0]
    first = foremost(lines, now=waiting.now, most=pages, cost_s=room.cost_s)
    counted = with_pages(room.version_id, first, pages)
    chosen = turns(counted, now=waiting.now, room=pages, cost_s=room.cost_s)
    if len(chosen.order) < pages and len(first) < len(lines):
        # The priorities of a tenant share what it may have at once, so the queues behind them are next.
        counted = with_pages(room.version_id, lines, pages)
        chosen = turns(counted, now=waiting.now, room=pages, cost_s=room.cost_s)
    return counted, chosen


def in_order(
    chosen: Shares, lines: Sequence[TenantQueue], taken: Sequence[tuple[datetime, UUID, UUID, int, int | None]]
) -> Iterator[Notification]:
    """Yield the pages in the chosen order, those of a queue by their position in it, without those that were locked."""
    of_line: dict[tuple[UUID, int], list[Notification]] = {}
    for _, page, tenant, priority, newcomer in sorted(taken, key=itemgetter(0, 1), reverse=True):
        of_line.setdefault((tenant, priority), []).append(Notification(page, tenant, newcomer))
    for position in chosen.order:
        queue = lines[position]
        pages = of_line.get((queue.tenant, queue.priority))
        if pages:
            yield pages.pop()
