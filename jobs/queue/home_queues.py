"""The queue in which work of a tenant waits first, and what else waits there. Without tiers it is that of the version.

Only estimates use this: what is known of tiers may be some seconds old, and no query is made for it.
"""

from uuid import UUID

from inference.registry.models import ModelVersion
from inference.registry.tiers import known_tiers
from inference.tiers.routes import queue_key
from jobs.core.priorities import NAMES
from jobs.queue.tiered_queues import own_pool, routed_queues, virtual_times
from jobs.queue.waiting_queues import CountedQueues
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.models import ChosenLimits


def home_queue(version: ModelVersion, tenant_id: UUID, priority: int) -> str:
    """Return the key of the queue at the home of the tenant's tier."""
    tiers = known_tiers()
    if not tiers.in_use:
        return version.engine_key
    with operator_work():
        own = own_pool(version.id).name
        tier = ChosenLimits.objects.filter(pk=tenant_id).values_list("tier_id", flat=True).first()
    return queue_key(version.engine_key, tiers.route(tier, NAMES[priority], own)[0], own)


def at_home(version: ModelVersion, key: str, counted: CountedQueues) -> CountedQueues:
    """Return the waiting queues whose home is the queue of this key. Pages of other pools delay none of it."""
    tiers = known_tiers()
    if not tiers.in_use:
        return counted
    with operator_work():
        own = own_pool(version.id).name
        routed = {one.line: one for one in routed_queues(version.id, tiers, own)}
        times = virtual_times(version.id)
    lines, now = [], 0.0
    for line in counted.lines:
        one = routed.get((line.tenant, line.priority))
        if one is not None and queue_key(version.engine_key, one.route[0], own) == key:
            lines.append(one.in_pool(one.route[0], line.waiting))
            now = times.get(one.route[0], 0.0)
    return CountedQueues(lines, now, counted.counted)
