"""Takes the pages that are released next where tiers are in use: each goes to one of the pools that may serve it.

The pool is decided here and not at submission, so that a page goes where it begins soonest as things are now. The
decision is in inference/tiers/binding.py, the order of the pages in jobs/queue/fairness.py, for each pool by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, connections, transaction
from psycopg.errors import LockNotAvailable

from inference.tiers.binding import PoolNow, ahead_by, spread_routes
from inference.tiers.routes import PoolFacts, Route, Tiers, queue_key
from jobs.events.broker import pages_waiting
from jobs.queue.fair_release import TAKE_CHOSEN, in_order, lock_version, values_of, wake_s
from jobs.queue.fairness import (
    Notification,
    TenantQueue,
    foremost,
    newcomers_first,
    overtaken_s,
    release_window,
    slots_of_one,
    turns,
)
from jobs.queue.lost_in_tiers import announce_lost, lost_pages
from jobs.queue.pool_states import pools_now
from jobs.queue.slots import fleet_of
from jobs.queue.tiered_queues import (
    RoutedQueue,
    busy_in_pool,
    own_pool,
    routed_queues,
    under_way,
    virtual_times,
)
from jobs.queue.waiting_queues import with_pages, with_room
from tenants.core.db.unit_of_work import OPERATOR, operator_work

COUNTED = 200
"""The number up to which the waiting pages with the same pools are counted, to see whether a load elsewhere pays."""

# A row that is behind the virtual time of its pool has no meaning any more, except for the row that holds this time.
_REMEMBER = """
WITH moved AS (
    INSERT INTO jobs_fairshare (id, tenant_id, model_version_id, priority, began, ends, pool)
    SELECT gen_random_uuid(), line.tenant_id, %(version)s, line.priority, %(now)s, line.ends, %(pool)s
    FROM unnest(%(tenants)s::uuid[], %(priorities)s::smallint[], %(ends)s::float8[])
        AS line (tenant_id, priority, ends)
    ON CONFLICT (model_version_id, tenant_id, priority)
    DO UPDATE SET began = EXCLUDED.began, ends = EXCLUDED.ends, pool = EXCLUDED.pool
)
DELETE FROM jobs_fairshare WHERE model_version_id = %(version)s AND pool = %(pool)s AND ends <= %(now)s
  AND began < %(now)s
  AND (tenant_id, priority) NOT IN (SELECT * FROM unnest(%(tenants)s::uuid[], %(priorities)s::smallint[]))
"""


@dataclass(frozen=True, slots=True)
class Released:
    """The pages that go to one pool."""

    key: str
    """The key of the queue."""
    pool: str | None
    """The pool whose workers alone may claim them, or None where no tiers are in use."""
    wakes: Sequence[Notification]


def take_for_pools(version_id: int, version_key: str, tiers: Tiers) -> list[Released]:
    """Take the next pages of a version, for each pool at most as many as fit there."""
    with operator_work():
        own = own_pool(version_id)
    pools = {**tiers.pools, own.name: own}
    # The broker is asked before the lock is held.
    at_hand = {name: pages_waiting(f"infer.{queue_key(version_key, name, own.name)}") for name in pools}
    try:
        with operator_work(), transaction.atomic(using=OPERATOR):
            lock_version(version_id)
            return list(_taken(version_id, version_key, own, tiers, at_hand))
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            return []
        raise


def _taken(
    version_id: int, version_key: str, own: PoolFacts, tiers: Tiers, at_hand: Mapping[str, int]
) -> Iterable[Released]:
    lost = lost_pages(version_id, tiers, own.name)
    queues = routed_queues(version_id, tiers, own.name)
    routes = [*(page.route for page in lost), *(queue.route for queue in queues)]
    names = list(dict.fromkeys(name for route in routes for name in route))
    if not names:
        return
    facts = [own if name == own.name else tiers.pools[name] for name in names]
    counts = under_way(version_id, own.name)
    pools = pools_now(version_id, version_key, own, facts, counts)
    keys = {name: queue_key(version_key, name, own.name) for name in names}
    rooms = {name: _room(pools[name], key, max(counts.get(name, 0), at_hand[name])) for name, key in keys.items()}
    again = announce_lost(lost, pools, rooms)
    pools |= ahead_by(again.bound, pools)
    times = virtual_times(version_id)
    release = _Release(version_id, own.name, pools, times, _waiting(version_id, queues, pools))
    shares = _shares(release.waiting, queues, pools)
    for pool in facts:
        first, key = again.wakes.get(pool.name, []), keys[pool.name]
        served = [one for one in queues if shares[one.route].get(pool.name)]
        wakes = [*first, *release.take(pool, key, served, shares, rooms[pool.name] - len(first))]
        if wakes:
            yield Released(key, pool.name, newcomers_first(wakes))


def _room(pool: PoolNow, key: str, there: int) -> int:
    """Return how many more pages may be under way in the pool, beside those that are there."""
    return release_window(pool.slots, fleet_of(key).service_s) - there


def _waiting(
    version_id: int, queues: Sequence[RoutedQueue], pools: Mapping[str, PoolNow]
) -> dict[tuple[UUID, int], int]:
    """Return the waiting pages of the queues that may release some, counted up to a maximum for each route."""
    found: dict[tuple[UUID, int], int] = {}
    for route in dict.fromkeys(queue.route for queue in queues):
        lines = [one.in_pool(route[0], 1) for one in queues if one.route == route]
        first = foremost(lines, now=0.0, most=COUNTED, cost_s=pools[route[0]].service_s)
        counted = with_pages(version_id, first, COUNTED)
        found.update({(line.tenant, line.priority): line.waiting for line in counted})
    return found


def _shares(
    waiting: Mapping[tuple[UUID, int], int], queues: Sequence[RoutedQueue], pools: Mapping[str, PoolNow]
) -> dict[Route, dict[str, int]]:
    """Return by route how many of its pages go to each of its pools."""
    pages = dict.fromkeys((queue.route for queue in queues), 0)
    for queue in queues:
        pages[queue.route] = min(COUNTED, pages[queue.route] + waiting.get(queue.line, 0))
    return spread_routes(pages, pools)


@dataclass(frozen=True, slots=True)
class _Release:
    """One release of a version. The pools take their pages one after another."""

    version_id: int
    own: str
    pools: Mapping[str, PoolNow]
    times: Mapping[str, float]
    waiting: dict[tuple[UUID, int], int]

    def take(
        self,
        pool: PoolFacts,
        key: str,
        queues: Sequence[RoutedQueue],
        shares: Mapping[Route, Mapping[str, int]],
        room: int,
    ) -> list[Notification]:
        if room <= 0 or not queues:
            return []
        fleet, now = fleet_of(key), self.pools[pool.name]
        lines = [
            one.in_pool(pool.name, min(self.waiting.get(one.line, 0), shares[one.route][pool.name])) for one in queues
        ]
        lines = [replace(line, heft=fleet.hefts.get(str(line.tenant), 1.0)) for line in lines if line.waiting]
        lines = self._within_share(pool, {one.queue.tenant for one in queues if one.shared}, with_room(lines))
        chosen = turns(lines, now=self.times.get(pool.name, 0.0), room=room, cost_s=now.service_s)
        if not chosen.order:
            return []
        of_place = {position: lines[position] for position in chosen.ends}
        for position, line in of_place.items():
            self.waiting[line.tenant, line.priority] -= chosen.pages_of(position)
        values: dict[str, Any] = {
            "version": self.version_id,
            "wake_s": wake_s(),
            "overtaken_s": overtaken_s(now.slots, now.service_s, wake_s()),
            "pool": pool.name,
            "now": chosen.now,
            **values_of(chosen, of_place),
        }
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(TAKE_CHOSEN, values)
            taken = cursor.fetchall()
            cursor.execute(_REMEMBER, values)
        return list(in_order(chosen, lines, taken))

    def _within_share(self, pool: PoolFacts, shared: set[UUID], lines: list[TenantQueue]) -> list[TenantQueue]:
        """Keep a part of the pool free for other tenants, unless no other can have work there."""
        slots = slots_of_one(self.pools[pool.name].slots)
        tenants = {line.tenant for line in lines if line.room is None} & shared
        if settings.MAAS_PAGES_AT_ONCE is not None or pool.of_one or not slots or not tenants:
            return lines
        busy = busy_in_pool(self.version_id, pool.name, self.own, list(tenants))
        return [
            replace(line, room=max(0, slots - busy.get(line.tenant, 0))) if line.tenant in tenants else line
            for line in lines
        ]
