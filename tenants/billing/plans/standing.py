"""What of a tenant's plan is left in this month: reads, inside its unit of work."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from fractions import Fraction
from typing import cast
from uuid import UUID

from tenants.billing.months import Month
from tenants.billing.plans.models import Plan
from tenants.billing.plans.month import Included, Pools, share_of
from tenants.billing.plans.selectors import current_subscription, included_versions, subscriptions_of
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
_SECOND = timedelta(seconds=1)


def standing_of(tenant_id: UUID) -> Standing:
    subscription = current_subscription(tenant_id)
    if subscription is None or subscription.plan is None:
        return NOTHING_INCLUDED
    now = database_now().astimezone(UTC)
    month = Month.of(now.date())
    since = max(datetime.combine(month.first, time(), UTC), subscription.starts_at)
    share = _share_of_month(month, since) if _followed_a_plan(tenant_id, since, month) else Fraction(1)
    included = share_of(included_between(included_versions(subscription.plan), since, now), share)
    if not included:
        return Standing(subscription.plan)
    pools = Pools(included)
    for line in usage_of(month):
        # A sum of nothing is what was free, and that uses up nothing.
        if line.livemode and line.amount_micros and line.day >= since.date():
            pools.use(line.model, cast(Meter, line.meter), line.quantity)
    return Standing(subscription.plan, included, pools.left)


def _followed_a_plan(tenant_id: UUID, since: datetime, month: Month) -> bool:
    """Whether another held in this month before."""
    if since <= datetime.combine(month.first, time(), UTC):
        return False
    before = subscriptions_of(tenant_id).filter(starts_at__lt=since)
    held = [one for one in before if one.starts_at.astimezone(UTC).date() >= month.first]
    return any(one.plan_id for one in (*held, *before[len(held) : len(held) + 1]))


def _share_of_month(month: Month, since: datetime) -> Fraction:
    first, after = (datetime.combine(day, time(), UTC) for day in (month.first, month.after_last))
    return Fraction((after - since) // _SECOND, (after - first) // _SECOND)
