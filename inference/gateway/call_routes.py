"""The pools that may serve a tenant's synchronous calls of a version, and the lines of its batches."""

from dataclasses import dataclass
from math import inf
from uuid import UUID

from django.db import connections

from inference.registry.models import ModelVersion
from inference.registry.tiers import tier_alone
from inference.tiers.routes import BULK, INTERACTIVE, CallPool, PoolFacts, queue_key
from inference.workers.placement.fleet import DEFAULT_POOL
from tenants.core.db.unit_of_work import current_alias

_TIER = """
SELECT tier_id, extract(epoch FROM (
    SELECT min(starts_at) FROM tenants_subscription WHERE tenant_id = %(tenant)s AND starts_at > clock_timestamp()
) - clock_timestamp())::float8
FROM tenants_chosenlimits WHERE id = %(tenant)s
"""


@dataclass(frozen=True, slots=True)
class CallRoutes:
    """The pools in their order, the home first. Without a tier, it is the own pool of the model."""

    calls: tuple[CallPool, ...]
    lines: tuple[CallPool, ...]
    lasts_s: float = inf
    """The seconds until another plan begins, which may have another tier."""


def call_routes(tenant_id: UUID, version: ModelVersion) -> CallRoutes:
    """Return the pools for a tenant's calls. It is called in the unit of work of the tenant."""
    pool = version.served_model.pool
    own = PoolFacts(pool.name, strategy=pool.strategy, dedicated=pool.dedicated) if pool else PoolFacts(DEFAULT_POOL)
    alone = (_call_pool(version, own, own.name),)
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_TIER, {"tenant": tenant_id})
        tier, lasts_s = cursor.fetchone() or (None, None)
    until_s = inf if lasts_s is None else max(0.0, lasts_s)
    if tier is None:
        return CallRoutes(alone, alone, until_s)
    tiers = tier_alone(tier)

    def pools(priority: str) -> tuple[CallPool, ...]:
        names = tiers.route(tier, priority, own.name)
        return tuple(_call_pool(version, own if name == own.name else tiers.pools[name], own.name) for name in names)

    return CallRoutes(pools(INTERACTIVE), pools(BULK), until_s)


def _call_pool(version: ModelVersion, facts: PoolFacts, own: str) -> CallPool:
    move_s = version.file_bytes / (facts.link_mb_s * 1e6) if facts.link_mb_s else 0.0
    key = queue_key(version.engine_key, facts.name, own)
    return CallPool(key, facts.name, facts.strategy, facts.dedicated, move_s)
