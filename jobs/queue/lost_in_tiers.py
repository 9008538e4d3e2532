"""Decides anew on pages whose messages were lost where tiers are in use: their pool may have no workers any more.

As without tiers, they go before all others, within what their tenants may have at once, and count no second time
against their tenants' fair shares.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections

from inference.tiers.binding import PoolNow, spread_routes
from inference.tiers.routes import Route, Tiers
from jobs.core.priorities import NAMES
from jobs.queue.fair_release import wake_s
from jobs.queue.fairness import Notification
from jobs.queue.waiting_queues import LOST, room_within
from tenants.core.db.unit_of_work import OPERATOR

MAX_LOST = 1_000

_LOST = f"""
SELECT page.id, page.tenant_id, page.priority, tenant.tier_id, page.pool,
    nullif(coalesce(tenant.pages_at_once, %(at_once)s), 0)
FROM jobs_page page JOIN tenants_chosenlimits tenant ON tenant.id = page.tenant_id
WHERE {LOST} ORDER BY page.renotify_at LIMIT {MAX_LOST} FOR UPDATE OF page SKIP LOCKED
"""  # noqa: S608  # made of constants alone
_BIND = """
UPDATE jobs_page SET pool = bound.pool, renotify_at = CASE
    WHEN bound.announced THEN clock_timestamp() + make_interval(secs => %(wake_s)s) ELSE renotify_at END
FROM unnest(%(pages)s::uuid[], %(pools)s::text[], %(announced)s::bool[]) AS bound (id, pool, announced)
WHERE jobs_page.id = bound.id
"""


@dataclass(frozen=True, slots=True)
class LostPage:
    id: UUID
    tenant: UUID
    route: Route
    pool: str | None
    """The pool whose workers were notified of it. None: those of the model's own pool, before tiers were in use."""
    cap: int | None
    """The number of pages that its tenant may have at once, if there is one."""


@dataclass(frozen=True, slots=True)
class Announced:
    """The lost pages of which workers are notified now. All the others stay lost, each bound to its pool."""

    bound: Mapping[str, int]
    """The number of lost pages by pool, announced or not."""
    wakes: dict[str, list[Notification]] = field(default_factory=dict)
    """The announced pages by pool."""


def lost_pages(version_id: int, tiers: Tiers, own: str) -> list[LostPage]:
    """Return the lost pages, the longest lost first, and keep others from them until the transaction ends."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_LOST, {"version": version_id, "at_once": settings.MAAS_PAGES_AT_ONCE or 0})
        return [
            LostPage(page, tenant, tiers.route(tier, NAMES[priority], own), pool, cap)
            for page, tenant, priority, tier, pool, cap in cursor.fetchall()
        ]


def announce_lost(lost: Sequence[LostPage], pools: Mapping[str, PoolNow], rooms: Mapping[str, int]) -> Announced:
    """Bind the pages to their pools, and announce as many as fit. The others are
    announced by a later release, and no worker of their former pool may take them any more.
    """
    bound = pools_of(lost, pools)
    caps = room_within({page.tenant: page.cap for page in lost if page.cap is not None})
    left = dict(rooms)
    announced = Announced(Counter(bound.values()))
    changes: list[tuple[UUID, str, bool]] = []
    for page in lost:
        pool = bound[page.id]
        fits = left[pool] > 0 and caps.get(page.tenant, 1) > 0
        if fits:
            left[pool] -= 1
            if page.tenant in caps:
                caps[page.tenant] -= 1
            announced.wakes.setdefault(pool, []).append(Notification(page.id, page.tenant))
        if fits or page.pool != pool:
            changes.append((page.id, pool, fits))
    if changes:
        pages, names, fitting = map(list, zip(*changes, strict=True))
        values: dict[str, Any] = {"pages": pages, "pools": names, "announced": fitting, "wake_s": wake_s()}
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(_BIND, values)
    return announced


def pools_of(lost: Sequence[LostPage], pools: Mapping[str, PoolNow]) -> dict[UUID, str]:
    """Return the pool of each page. As many as go to a pool stay there, if workers of it were notified of them."""
    found: dict[UUID, str] = {}
    for route, left in spread_routes(Counter(page.route for page in lost), pools).items():
        pages = [page for page in lost if page.route == route]
        for page in pages:
            if page.pool is not None and left.get(page.pool, 0):
                left[page.pool] -= 1
                found[page.id] = page.pool
        others = (name for name in route for _ in range(left[name]))
        moving = [page.id for page in pages if page.id not in found]
        found |= dict(zip(moving, others, strict=True))
    return found
