"""Reads the units of a tenant's plan that are left this month, inside the tenant's unit of work."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from fractions import Fraction
from typing import cast
from uuid import UUID

from tenants.billing.ledger.included_models import IncludedPool
from tenants.billing.ledger.models import Wallet
from tenants.billing.usage.selectors import usage_of
from tenants.core.db.clock import database_now
from tenants.core.months import Month
from tenants.plans.agreed import included_between
from tenants.plans.models import Plan
from tenants.plans.month import Included, Pools, share_of
from tenants.plans.prices import Meter
from tenants.plans.selectors import current_subscription, included_versions, subscriptions_of


@dataclass(frozen=True)
class IncludedRow:
    model: str
    """The model, or an empty text for all models."""
    meter: Meter
    quantity: int
    left: int


@dataclass(frozen=True)
class Standing:
    plan: Plan | None = None
    included: tuple[Included, ...] = ()
    left: tuple[Included, ...] = ()

    @property
    def rows(self) -> list[IncludedRow]:
        left = {(one.model, one.meter): one.quantity for one in self.left}
        return [
            IncludedRow(one.model, one.meter, one.quantity, left.get((one.model, one.meter), 0))
            for one in self.included
        ]


@dataclass(frozen=True)
class Granted:
    plan: Plan
    since: datetime
    """The start of the month, or the start of the plan if it began within the month."""
    included: tuple[Included, ...]


NOTHING_INCLUDED = Standing()
_SECOND = timedelta(seconds=1)


def granted_now(tenant_id: UUID) -> Granted | None:
    """Return the units that the tenant's plan includes now. Return None without a plan."""
    subscription = current_subscription(tenant_id)
    if subscription is None or subscription.plan is None:
        return None
    now = database_now().astimezone(UTC)
    month = Month.of(now.date())
    since = max(datetime.combine(month.first, time(), UTC), subscription.starts_at)
    share = _share_of_month(month, since) if _followed_a_plan(tenant_id, since, month) else Fraction(1)
    included = share_of(included_between(included_versions(subscription.plan), since, now), share)
    return Granted(subscription.plan, since.astimezone(UTC), included)


def standing_of(tenant_id: UUID) -> Standing:
    """Return the units left: for a prepaid account those left in its pools, for others those left after the month's
    usage.
    """
    granted = granted_now(tenant_id)
    if granted is None:
        return NOTHING_INCLUDED
    if not granted.included:
        return Standing(granted.plan)
    pools = Pools(granted.included)
    if Wallet.objects.filter(tenant_id=tenant_id, kind=Wallet.Kind.PREPAID).exists():
        for pool in IncludedPool.objects.filter(tenant_id=tenant_id, since=granted.since):
            pools.give_up(pool.model, cast(Meter, pool.meter), pool.used + pool.held)
        return Standing(granted.plan, granted.included, pools.left)
    for line in usage_of(Month.of(granted.since.date())):
        # A row with an amount of zero was free and uses up nothing.
        if line.livemode and line.amount_micros and line.day >= granted.since.date():
            pools.use(line.model, cast(Meter, line.meter), line.quantity)
    return Standing(granted.plan, granted.included, pools.left)


def _followed_a_plan(tenant_id: UUID, since: datetime, month: Month) -> bool:
    """Return whether another plan was in force earlier this month."""
    if since <= datetime.combine(month.first, time(), UTC):
        return False
    before = subscriptions_of(tenant_id).filter(starts_at__lt=since)
    held = [one for one in before if one.starts_at.astimezone(UTC).date() >= month.first]
    return any(one.plan_id for one in (*held, *before[len(held) : len(held) + 1]))


def _share_of_month(month: Month, since: datetime) -> Fraction:
    first, after = (datetime.combine(day, time(), UTC) for day in (month.first, month.after_last))
    return Fraction((after - since) // _SECOND, (after - first) // _SECOND)
