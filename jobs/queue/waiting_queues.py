"""Finds the queues in which pages of a version wait. Pages are counted only if the number decides something."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections

from jobs.queue.fairness import Notification, TenantQueue
from tenants.core.db.unit_of_work import OPERATOR

CAPS_LOCK = 0x6D616173636170
"""The advisory lock, after that of a version: a tenant's limit of pages at once holds over all versions."""

_DUE = "model_version_id = %(version)s AND state = 'queued' AND run_after <= statement_timestamp()"
WAITS = f"{_DUE} AND renotify_at IS NULL"

# This is written as a range, in the order of the range. Only the index of the queues fits it, whatever the planner last
# knew of the size of the queue.
OF_LINE = """(page.priority, page.tenant_id) >= (line.priority, line.tenant_id)
    AND (page.priority, page.tenant_id) <= (line.priority, line.tenant_id)
    ORDER BY page.priority, page.tenant_id, page.queue_at, page.id"""

# This matches all rows. It is written as a range for the same reason.
_FROM_THE_FIRST = "(priority, tenant_id) >= (-32768, '00000000-0000-0000-0000-000000000000')"

# The statement steps from one queue to the next, so that of a queue with a hundred thousand pages only one is read.
EACH_LINE = f"""
WITH RECURSIVE line AS (
    (SELECT priority, tenant_id FROM jobs_page WHERE {WAITS} AND {_FROM_THE_FIRST}
        ORDER BY priority, tenant_id LIMIT 1)
    UNION ALL
    SELECT next.priority, next.tenant_id FROM line CROSS JOIN LATERAL (
        SELECT priority, tenant_id FROM jobs_page
        WHERE {WAITS} AND (priority, tenant_id) > (line.priority, line.tenant_id)
        ORDER BY priority, tenant_id LIMIT 1
    ) next
)
"""  # noqa: S608  # made of constants alone
LINES = f"""{EACH_LINE}
SELECT line.tenant_id, line.priority, tenant.weight, coalesce(turn.ends, 0),
    nullif(coalesce(tenant.pages_at_once, %(at_once)s), 0), tenant.pages_at_once IS NULL,
    (SELECT coalesce(max(began), 0) FROM jobs_fairshare WHERE model_version_id = %(version)s)
FROM line
JOIN tenants_chosenlimits tenant ON tenant.id = line.tenant_id AND tenant.state = 'active'
LEFT JOIN jobs_fairshare turn ON turn.model_version_id = %(version)s AND turn.tenant_id = line.tenant_id
    AND turn.priority = line.priority
"""  # noqa: S608  # made of constants alone

PAGES = f"""
SELECT line.tenant_id, line.priority, waiting.pages
FROM unnest(%(tenants)s::uuid[], %(priorities)s::smallint[]) AS line (tenant_id, priority)
CROSS JOIN LATERAL (
    SELECT count(*) AS pages FROM (SELECT FROM jobs_page page WHERE {WAITS} AND {OF_LINE} LIMIT %(most)s) counted
) waiting
"""  # noqa: S608

# A message that is so old that it is sent again does not count. For a model that no worker serves, it would count for
# ever, and keep its tenant from all other models.
_UNDER_WAY = """
SELECT tenant_id, count(*) FROM (
    SELECT tenant_id FROM jobs_page WHERE state = 'running' AND tenant_id = ANY(%(tenants)s)
    UNION ALL
    SELECT tenant_id FROM jobs_page
    WHERE state = 'queued' AND renotify_at > statement_timestamp() AND tenant_id = ANY(%(tenants)s)
) page GROUP BY tenant_id
"""


# These are the pages that workers have, of any version, and the announced pages of this version. Pages that no worker
# takes keep no tenant from other versions.
BUSY = """
SELECT tenant_id FROM jobs_page WHERE state = 'running'
UNION ALL
SELECT tenant_id FROM jobs_page
WHERE model_version_id = %(version)s AND state = 'queued' AND renotify_at > statement_timestamp()
"""
_BUSY_OF = f"SELECT tenant_id, count(*) FROM ({BUSY}) busy WHERE tenant_id = ANY(%(tenants)s) GROUP BY tenant_id"  # noqa: S608


LOST = """page.model_version_id = %(version)s AND page.state = 'queued' AND page.run_after <= statement_timestamp()
    AND page.renotify_at <= statement_timestamp() AND tenant.state = 'active'"""
LIMITED = "coalesce(tenant.pages_at_once, %(at_once)s) > 0"

_OF_LIMITED = f"""
SELECT page.id, page.tenant_id, coalesce(tenant.pages_at_once, %(at_once)s)
FROM jobs_page page JOIN tenants_chosenlimits tenant ON tenant.id = page.tenant_id
WHERE {LOST} AND {LIMITED} ORDER BY page.priority, page.id FOR UPDATE OF page SKIP LOCKED
"""  # noqa: S608  # made of constants alone
_TELL_AGAIN = """
UPDATE jobs_page SET renotify_at = clock_timestamp() + make_interval(secs => %(wake_s)s) WHERE id = ANY(%(pages)s)
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    lines: Sequence[TenantQueue]
    """The queues, in each of which a page or more waits. `room` is all that the tenant may have at once."""
    now: float
    """The virtual time of the version."""
    shared: frozenset[UUID] = frozenset()
    """Tenants for whom no number of pages at once was set."""


def waiting_lines(version_id: int, hefts: Mapping[str, float]) -> Waiting:
    """Return the queues in which pages of a version wait. Like everything here, this runs in the operator's scope."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(LINES, {"version": version_id, "at_once": settings.MAAS_PAGES_AT_ONCE or 0})
        rows = cursor.fetchall()
    lines = [
        TenantQueue(tenant, priority, 1, weight, ends, hefts.get(str(tenant), 1.0), cap)
        for tenant, priority, weight, ends, cap, *_ in rows
    ]
    shared = frozenset(tenant for tenant, *_, unsaid, _ in rows if unsaid)
    return Waiting(lines, rows[0][-1] if rows else 0.0, shared)


def with_room(lines: Sequence[TenantQueue], *, alone: bool = True) -> list[TenantQueue]:
    """Return the queues with the number of pages that each tenant may still have in progress.

    With `alone`, no other transaction releases pages of a tenant with such a limit until this transaction ends,
    whatever the version. A transaction that waits too long for this gives up, as it does for the lock of a version.
    """
    left = room_within({queue.tenant: queue.room for queue in lines if queue.room is not None}, alone=alone)
    return [queue if queue.room is None else replace(queue, room=left[queue.tenant]) for queue in lines]


def with_share(version_id: int, waiting: Waiting, share: int) -> list[TenantQueue]:
    """Limit each tenant without another limit. This is not exact to the page, since no transaction waits for it."""
    shared = {queue.tenant for queue in waiting.lines if queue.room is None} & waiting.shared
    if not share or not shared:
        return list(waiting.lines)
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_BUSY_OF, {"version": version_id, "tenants": list(shared)})
        busy: dict[UUID, int] = dict(cursor.fetchall())
    return [
        replace(queue, room=max(0, share - busy.get(queue.tenant, 0))) if queue.tenant in shared else queue
        for queue in waiting.lines
    ]


def room_within(caps: Mapping[UUID, int], *, alone: bool = True) -> dict[UUID, int]:
    """Return by tenant how many more pages each may have under way. `caps` is the number that each may have in all."""
    if not caps:
        return {}
    with connections[OPERATOR].cursor() as cursor:
        if alone:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [CAPS_LOCK])
        cursor.execute(_UNDER_WAY, {"tenants": list(caps)})
        under_way: dict[UUID, int] = dict(cursor.fetchall())
    return {tenant: max(0, cap - under_way.get(tenant, 0)) for tenant, cap in caps.items()}


@dataclass(frozen=True, slots=True)
class CountedQueues:
    lines: Sequence[TenantQueue]
    now: float
    """The virtual time of the version."""
    counted: int
    """The number up to which the pages of each queue were counted."""


def counted_queues(version_id: int, hefts: Mapping[str, float], *, most: int, of_all: int) -> CountedQueues:
    """Return the queues of a version, with their pages counted up to `most` in each and `of_all` together."""
    waiting = waiting_lines(version_id, hefts)
    lines = with_room(waiting.lines, alone=False)
    counted = max(2, min(most, of_all // max(1, len(lines))))
    return CountedQueues(with_pages(version_id, lines, counted), waiting.now, counted)


def with_pages(version_id: int, lines: Sequence[TenantQueue], most: int) -> list[TenantQueue]:
    """Count the pages of each queue, up to `most`."""
    if most <= 1 or not lines:
        return list(lines)
    values: dict[str, Any] = {
        "version": version_id,
        "most": most,
        "tenants": [queue.tenant for queue in lines],
        "priorities": [queue.priority for queue in lines],
    }
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(PAGES, values)
        pages = {(tenant, priority): count for tenant, priority, count in cursor.fetchall()}
    return [replace(queue, waiting=pages[queue.tenant, queue.priority]) for queue in lines]


def take_lost_of_limited(version_id: int, most: int, wake_s: float) -> list[Notification]:
    """Take lost pages of tenants with a limit, within this limit, under the lock of the version."""
    values: dict[str, Any] = {
        "version": version_id,
        "at_once": settings.MAAS_PAGES_AT_ONCE or 0,
        "wake_s": wake_s,
    }
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_OF_LIMITED, values)
        notified = list(_with_room(cursor.fetchall()))[:most]
        cursor.execute(_TELL_AGAIN, {**values, "pages": [wake.page_id for wake in notified]})
    return notified


def _with_room(lost: list[tuple[UUID, UUID, int]]) -> Iterator[Notification]:
    left = room_within({tenant: cap for _, tenant, cap in lost})
    for page, tenant, _ in lost:
        if left[tenant] > 0:
            left[tenant] -= 1
            yield Notification(page, tenant)
