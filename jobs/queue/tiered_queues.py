"""Finds the queues in which pages of a version wait, with the pools that may serve each, and what each pool has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections

from inference.tiers.routes import PoolFacts, Route, Tiers
from inference.workers.placement.fleet import DEFAULT_POOL
from jobs.core.priorities import NAMES
from jobs.queue.fairness import TenantQueue
from jobs.queue.waiting_queues import EACH_LINE
from tenants.core.db.unit_of_work import OPERATOR

_LINES = f"""{EACH_LINE}
SELECT line.tenant_id, line.priority, tenant.weight, coalesce(turn.ends, 0), coalesce(turn.pool, ''),
    nullif(coalesce(tenant.pages_at_once, %(at_once)s), 0), tenant.pages_at_once IS NULL, tenant.tier_id
FROM line
JOIN tenants_chosenlimits tenant ON tenant.id = line.tenant_id AND tenant.state = 'active'
LEFT JOIN jobs_fairshare turn ON turn.model_version_id = %(version)s AND turn.tenant_id = line.tenant_id
    AND turn.priority = line.priority
"""  # noqa: S608  # made of constants alone
_UNDER_WAY = """
SELECT coalesce(pool, %(own)s), count(*) FROM (
    SELECT pool FROM jobs_page WHERE model_version_id = %(version)s AND state = 'running'
    UNION ALL
    SELECT pool FROM jobs_page WHERE model_version_id = %(version)s AND state = 'queued'
      AND renotify_at > statement_timestamp()
) page GROUP BY 1
"""
_VIRTUAL_TIMES = "SELECT pool, max(began) FROM jobs_fairshare WHERE model_version_id = %(version)s GROUP BY pool"
_BUSY_IN_POOL = """
SELECT tenant_id, count(*) FROM (
    SELECT tenant_id FROM jobs_page
    WHERE state = 'running' AND tenant_id = ANY(%(tenants)s) AND coalesce(pool, %(own)s) = %(pool)s
    UNION ALL
    SELECT tenant_id FROM jobs_page
    WHERE model_version_id = %(version)s AND state = 'queued' AND pool = %(pool)s AND tenant_id = ANY(%(tenants)s)
      AND renotify_at > statement_timestamp()
) busy GROUP BY tenant_id
"""
_OWN_POOL = """
SELECT coalesce(pool.name, %(default)s), coalesce(pool.dedicated, false)
FROM inference_modelversion v JOIN inference_servedmodel m ON m.id = v.served_model_id
LEFT JOIN inference_modelpool pool ON pool.id = m.pool_id WHERE v.id = %(version)s
"""


@dataclass(frozen=True, slots=True)
class RoutedQueue:
    """A queue of a tenant and a priority, with the pools that may serve it."""

    queue: TenantQueue
    route: Route
    last_pool: str
    """The pool in whose virtual time its `ends` is."""
    shared: bool
    """Set if no number of pages at once was set for its tenant."""

    @property
    def line(self) -> tuple[UUID, int]:
        return self.queue.tenant, self.queue.priority

    def in_pool(self, pool: str, waiting: int) -> TenantQueue:
        """Return the queue as it stands in a pool. Where it has no place yet, it begins now."""
        queue, ends = self.queue, self.queue.ends if self.last_pool == pool else 0.0
        return TenantQueue(queue.tenant, queue.priority, waiting, queue.weight, ends, queue.heft, queue.room)


def own_pool(version_id: int) -> PoolFacts:
    """Return the own pool of the version's model. Like everything here, this runs in the operator's scope."""
    rows = _rows(_OWN_POOL, version=version_id, default=DEFAULT_POOL)
    name, dedicated = rows[0] if rows else (DEFAULT_POOL, False)
    return PoolFacts(name, dedicated=dedicated)


def routed_queues(version_id: int, tiers: Tiers, own: str) -> list[RoutedQueue]:
    """Return the queues, in each of which a page or more waits."""
    rows = _rows(_LINES, version=version_id, at_once=settings.MAAS_PAGES_AT_ONCE or 0)
    return [
        RoutedQueue(
            TenantQueue(tenant, priority, 1, weight, ends, 1.0, cap),
            tiers.route(tier, NAMES[priority], own),
            last_pool,
            shared=unsaid,
        )
        for tenant, priority, weight, ends, last_pool, cap, unsaid, tier in rows
    ]


def under_way(version_id: int, own: str) -> dict[str, int]:
    """Return the pages that workers of each pool have, or were notified of."""
    return dict(_rows(_UNDER_WAY, version=version_id, own=own))


def virtual_times(version_id: int) -> dict[str, float]:
    return dict(_rows(_VIRTUAL_TIMES, version=version_id))


def busy_in_pool(version_id: int, pool: str, own: str, tenants: Sequence[UUID]) -> dict[UUID, int]:
    return dict(_rows(_BUSY_IN_POOL, version=version_id, pool=pool, own=own, tenants=list(tenants)))


def _rows(statement: str, **values: Any) -> list[Any]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
