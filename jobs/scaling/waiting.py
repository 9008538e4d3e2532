"""The work that waits for each model: pages of jobs and lines of batches in PostgreSQL, and calls in Redis."""

from collections.abc import Iterable

from django.conf import settings
from django.db import connections

from inference.registry.tiers import current_tiers
from inference.rpc import lane_demand
from inference.rpc.lines import CommandLine
from inference.scaling.signal import BATCHES, CALLS, PAGES, Waiting
from inference.tiers.routes import Tiers, queue_key
from inference.workers.placement.fleet import DEFAULT_POOL
from jobs.core.priorities import BULK, INTERACTIVE, NAMES
from jobs.queue.demand import pages_demand
from tenants.core.db.unit_of_work import OPERATOR, operator_work

# A job is one row, however many pages it has, and few jobs are unfinished. A page that runs is no waiting page. Of an
# account that is suspended, or that has as many pages at once as it may have, no worker takes a page.
_KEY = "m.name || coalesce('.' || replace(m.tenant_id::text, '-', ''), '') || '@' || v.number"
_COUNTS = """
    sum(open.pages - coalesce(busy.pages, 0)),
    sum(CASE WHEN tenant.state <> 'active' THEN open.pages - coalesce(busy.pages, 0)
        ELSE greatest(0, open.pages - coalesce(nullif(coalesce(tenant.pages_at_once, %(at_once)s), 0), open.pages)) END)
"""
_OPEN = """
FROM (
    SELECT tenant_id, model_version_id, priority, sum(pages_total - pages_succeeded - pages_failed) AS pages
    FROM jobs_job WHERE state IN ('queued', 'running') GROUP BY tenant_id, model_version_id, priority
) open
JOIN tenants_chosenlimits tenant ON tenant.id = open.tenant_id
LEFT JOIN (
    SELECT tenant_id, model_version_id, priority, count(*) AS pages FROM jobs_page WHERE state = 'running'
    GROUP BY tenant_id, model_version_id, priority
) busy USING (tenant_id, model_version_id, priority)
JOIN inference_modelversion v ON v.id = open.model_version_id
JOIN inference_servedmodel m ON m.id = v.served_model_id
"""
_PAGES = f"SELECT {_KEY}, open.priority, {_COUNTS} {_OPEN} GROUP BY m.name, m.tenant_id, v.number, open.priority"
_PAGES_OF_TIERS = f"""
SELECT {_KEY}, coalesce(pool.name, %(default)s), open.priority, tenant.tier_id, {_COUNTS} {_OPEN}
LEFT JOIN inference_modelpool pool ON pool.id = m.pool_id
GROUP BY m.name, m.tenant_id, v.number, pool.name, open.priority, tenant.tier_id
"""
_ANNOUNCED = f"""
SELECT {_KEY}, coalesce(pool.name, %(default)s), page.priority, tenant.tier_id, page.pool, count(*)
FROM jobs_page page
JOIN tenants_chosenlimits tenant ON tenant.id = page.tenant_id
JOIN inference_modelversion v ON v.id = page.model_version_id
JOIN inference_servedmodel m ON m.id = v.served_model_id
LEFT JOIN inference_modelpool pool ON pool.id = m.pool_id
WHERE page.state = 'queued' AND page.pool IS NOT NULL AND page.renotify_at IS NOT NULL
GROUP BY m.name, m.tenant_id, v.number, pool.name, page.priority, tenant.tier_id, page.pool
"""  # noqa: S608  # made of constants alone
_LINES = """
SELECT m.name || coalesce('.' || replace(m.tenant_id::text, '-', ''), '') || '@' || v.number,
    sum(b.lines_total - b.lines_completed - b.lines_failed),
    extract(epoch FROM max(clock_timestamp() - b.in_progress_at))::float8
FROM jobs_batch b
JOIN inference_modelversion v ON v.id = b.model_version_id
JOIN inference_servedmodel m ON m.id = v.served_model_id
WHERE b.status = 'in_progress' AND b.ending = '' GROUP BY 1
"""


def waiting_pages() -> list[Waiting]:
    """Return the waiting pages by queue and priority. The longest wait is known by queue, whatever its priority."""
    tiers = current_tiers()
    if tiers.in_use:
        rows = _in_pools(tiers)
    else:
        with operator_work(), connections[OPERATOR].cursor() as cursor:
            cursor.execute(_PAGES, {"at_once": settings.MAAS_PAGES_AT_ONCE or 0})
            rows = cursor.fetchall()
    demand = pages_demand() if any(pages > 0 for _, _, pages, _ in rows) else {}
    return [
        Waiting(
            key, PAGES, NAMES[priority], int(pages), demand[key].oldest_s if key in demand else 0.0, max(0, int(held))
        )
        for key, priority, pages, held in rows
        if pages > 0
    ]


def _in_pools(tiers: Tiers) -> list[tuple[str, int, int, int]]:
    """Return the pages by queue and priority: those that workers were notified of there, the others at their home."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_PAGES_OF_TIERS, {"at_once": settings.MAAS_PAGES_AT_ONCE or 0, "default": DEFAULT_POOL})
        counted = cursor.fetchall()
        cursor.execute(_ANNOUNCED, {"default": DEFAULT_POOL})
        announced = cursor.fetchall()
    pages: dict[tuple[str, int], int] = {}
    held_back: dict[tuple[str, int], int] = {}
    for key, own, priority, tier, count, held in counted:
        home = queue_key(key, tiers.route(tier, NAMES[priority], own)[0], own), priority
        pages[home] = pages.get(home, 0) + int(count)
        held_back[home] = held_back.get(home, 0) + int(held)
    for key, own, priority, tier, pool, count in announced:
        home = queue_key(key, tiers.route(tier, NAMES[priority], own)[0], own), priority
        there = queue_key(key, pool, own), priority
        pages[home] = pages.get(home, 0) - count
        pages[there] = pages.get(there, 0) + count
    return [
        (key, priority, count, min(count, held_back.get((key, priority), 0)))
        for (key, priority), count in pages.items()
    ]


def waiting_lines() -> list[Waiting]:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_LINES)
        return [
            Waiting(key, BATCHES, NAMES[BULK], int(lines), max(0.0, float(oldest_s or 0.0)))
            for key, lines, oldest_s in cursor.fetchall()
            if lines > 0
        ]


def waiting_calls(line: CommandLine, keys: Iterable[str]) -> list[Waiting]:
    """Return the calls that wait in Redis. Raises `redis.RedisError`."""
    return [
        Waiting(key, CALLS, NAMES[INTERACTIVE], demand.waiting, demand.oldest_wait_s)
        for key, demand in lane_demand(line, sorted(keys)).items()
        if demand.waiting
    ]
