"""Counts the pages that wait for each version where tiers are in use, each in the pool in which it is to run."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connections

from inference.tiers.routes import Tiers, queue_key
from inference.workers.placement.fleet import DEFAULT_POOL, Demand, added_up
from jobs.core.priorities import NAMES
from jobs.queue.waiting_queues import EACH_LINE, OF_LINE, WAITS
from tenants.core.db.unit_of_work import OPERATOR, operator_work

COUNTED_OF_LINE = 20
"""The number up to which the waiting pages of a tenant and a priority are counted."""

_VERSIONS = """
SELECT v.id, m.name || coalesce('.' || replace(m.tenant_id::text, '-', ''), '') || '@' || v.number,
    coalesce(pool.name, %(default)s)
FROM inference_modelversion v
JOIN inference_servedmodel m ON m.id = v.served_model_id
LEFT JOIN inference_modelpool pool ON pool.id = m.pool_id
WHERE EXISTS (SELECT FROM jobs_page p WHERE p.model_version_id = v.id AND p.state = 'queued')
"""
_OF_TIERS = f"""{EACH_LINE}
SELECT tenant.tier_id, line.priority, sum(waiting.pages)::int, max(waiting.oldest_s)::float8
FROM line
JOIN tenants_chosenlimits tenant ON tenant.id = line.tenant_id
CROSS JOIN LATERAL (
    SELECT count(*) AS pages,
        extract(epoch FROM max(clock_timestamp() - greatest(first.created_at, first.run_after))) AS oldest_s
    FROM (SELECT created_at, run_after FROM jobs_page page WHERE {WAITS} AND {OF_LINE} LIMIT {COUNTED_OF_LINE}) first
) waiting
GROUP BY tenant.tier_id, line.priority
"""  # noqa: S608  # made of constants alone
_ANNOUNCED = """
SELECT pool, count(*)::int, extract(epoch FROM max(clock_timestamp() - greatest(created_at, run_after)))::float8
FROM jobs_page
WHERE model_version_id = %(version)s AND state = 'queued' AND pool IS NOT NULL AND renotify_at IS NOT NULL
  AND run_after <= clock_timestamp()
GROUP BY pool
"""


@dataclass(frozen=True, slots=True)
class _Version:
    id: int
    key: str
    own: str


def tiered_demand(tiers: Tiers) -> dict[str, Demand]:
    """Return the demand by queue: where workers were notified, or else in the home pool of the tenant's tier."""
    with operator_work():
        versions = [_Version(*row) for row in _rows(_VERSIONS, default=DEFAULT_POOL)]
        return added_up(item for version in versions for item in _of_version(version, tiers))


def _of_version(version: _Version, tiers: Tiers) -> Iterator[tuple[str, Demand]]:
    for tier, priority, pages, oldest_s in _rows(_OF_TIERS, version=version.id):
        home = tiers.route(tier, NAMES[priority], version.own)[0]
        yield queue_key(version.key, home, version.own), Demand(pages, max(0.0, oldest_s))
    for pool, pages, oldest_s in _rows(_ANNOUNCED, version=version.id):
        yield queue_key(version.key, pool, version.own), Demand(pages, max(0.0, oldest_s))


def _rows(statement: str, **values: Any) -> list[Any]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
