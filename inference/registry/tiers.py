"""Reads the tiers of the installation, at most once a second for a process, and seldom while nobody has one."""

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from inference.registry.models import ModelPool, ServedModel, TierPool
from inference.tiers.routes import PoolFacts, Tiers
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.models import Plan

LOOK_EVERY_S = 1.0
UNUSED_EVERY_S = 5.0
"""The seconds between two looks while no plan and no tenant has a tier with pools."""


@dataclass(frozen=True, slots=True)
class _Seen:
    tiers: Tiers = field(default_factory=Tiers)
    at_s: float = float("-inf")


_last = _Seen()


def current_tiers() -> Tiers:
    """Return the tiers as they were a moment ago. Two threads may look at once, which is cheaper than a lock."""
    global _last  # noqa: PLW0603
    every_s = LOOK_EVERY_S if _last.tiers.in_use else UNUSED_EVERY_S
    if time.monotonic() - _last.at_s > every_s:
        _last = _Seen(read_tiers(), time.monotonic())
    return _last.tiers


def known_tiers() -> Tiers:
    """Return the tiers as this process saw them last, without a look. Processes that release pages look often."""
    return _last.tiers


def read_tiers() -> Tiers:
    with operator_work():
        if not TierPool.objects.exists():
            return Tiers()
        holders = _holders()
        held = TierPool.objects.filter(tier__in=holders).select_related("pool")
        rows = list(held.order_by("tier_id", "priority", "position"))
        return _tiers(rows, _of_one_tenant(rows, holders))


def tier_alone(tier_id: int) -> Tiers:
    """Return one tier, as a request may read it: whether other tenants have its pools too is not known then."""
    rows = TierPool.objects.filter(tier_id=tier_id).order_by("priority", "position").select_related("pool")
    return _tiers(list(rows), frozenset())


def _tiers(rows: Iterable[TierPool], alone: Collection[int]) -> Tiers:
    orders: dict[int, dict[str, tuple[str | None, ...]]] = {}
    pools: dict[str, PoolFacts] = {}
    for row in rows:
        order = orders.setdefault(row.tier_id, {})
        order[row.priority] = (*order.get(row.priority, ()), row.pool.name if row.pool else None)
        if row.pool is not None:
            pools[row.pool.name] = _facts(row.pool, of_one=row.pool.id in alone)
    return Tiers(orders, pools)


def _facts(pool: ModelPool, *, of_one: bool) -> PoolFacts:
    return PoolFacts(
        pool.name, pool.capacity, pool.strategy, pool.dedicated, pool.warm, pool.link_mb_s or None, of_one=of_one
    )


def _holders() -> dict[int, int]:
    """Return the tiers that a plan or a tenant has, with the number of tenants. A plan may have many."""
    holders = dict.fromkeys(Plan.objects.exclude(tier=None).values_list("tier_id", flat=True), 2)
    for tier_id in Tenant.objects.exclude(tier=None).values_list("tier_id", flat=True):
        holders[tier_id] = holders.get(tier_id, 0) + 1
    return holders


def _of_one_tenant(rows: list[TierPool], holders: Mapping[int, int]) -> set[int]:
    """Return the pools of which only one tenant has the tier, and that are no model's own pool."""
    tiers: dict[int, set[int]] = {}
    for row in rows:
        if row.pool_id is not None:
            tiers.setdefault(row.pool_id, set()).add(row.tier_id)
    own = set(ServedModel.objects.exclude(pool=None).values_list("pool_id", flat=True))
    return {pool for pool, named in tiers.items() if pool not in own and sum(holders.get(one, 0) for one in named) == 1}
