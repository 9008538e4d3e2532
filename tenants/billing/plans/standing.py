"""What of a tenant's plan is left in this month: reads, inside its unit of work."""

from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import cast
from uuid import UUID

from tenants.billing.months import Month
from tenants.billing.plans.models import Plan
from tenants.billing.plans.month import Included, Pools
from tenants.billing.plans.selectors import current_subscription, included_versions
from tenants.billing.plans.versions import included_between
from tenants.billing.prices import Meter
from tenants.billing.selectors import usage_of
from tenants.database_time import database_now


@dataclass(frozen=True)
class Standing:
    plan: Plan | None = None
    included: tuple[Included, ...] = ()
    left: tuple[Included, ...] = ()


NOTHING_INCLUDED = Standing()


def standing_of(tenant_id: UUID) -> Standing:
    subscription = current_subscription(tenant_id)
    if subscription is None or subscription.plan is None:
        return NOTHING_INCLUDED
    now = database_now().astimezone(UTC)
    month = Month.of(now.date())
    since = max(datetime.combine(month.first, time(), UTC), subscription.starts_at)
    included = included_between(included_versions(subscription.plan), since, now)
    if not included:
        return Standing(subscription.plan)
    pools = Pools(included)
    for line in usage_of(month):
        # A sum of nothing is what was free, and that uses up nothing.
        if line.livemode and line.amount_micros and line.day >= since.date():
            pools.use(line.model, cast(Meter, line.meter), line.quantity)
    return Standing(subscription.plan, included, pools.left)
