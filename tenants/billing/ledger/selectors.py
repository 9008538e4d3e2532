"""Reads of a tenant's money, and of its plan's units left this month, inside its unit of work."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from fractions import Fraction
from typing import cast
from uuid import UUID

from django.db import connections
from django.db.models import Q

from tenants.billing.ledger.headroom import BoundRow, Headrooms
from tenants.billing.ledger.included_models import IncludedPool
from tenants.billing.ledger.models import Budget, Wallet
from tenants.billing.ledger.posting import BUDGET_KEY, THIS_MONTH, first_of_this_month
from tenants.billing.usage.selectors import usage_of
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import current_alias
from tenants.core.months import Month
from tenants.plans.agreed import included_between
from tenants.plans.models import Plan
from tenants.plans.month import Included, Pools, share_of
from tenants.plans.prices import Meter
from tenants.plans.selectors import current_subscription, included_versions, subscriptions_of

_BOUNDS = f"""
SELECT 'wallet', currency, CASE kind WHEN 'prepaid' THEN available_micros + credit_line_micros END
FROM tenants_wallet WHERE tenant_id = %(tenant)s
UNION ALL
SELECT CASE WHEN api_key_id IS NULL THEN 'tenant' ELSE 'key' END, currency,
       monthly_micros - held_micros - CASE WHEN month = {THIS_MONTH} THEN used_micros ELSE 0 END
FROM tenants_budget WHERE tenant_id = %(tenant)s AND (api_key_id IS NULL OR api_key_id = {BUDGET_KEY})
"""  # noqa: S608  # made of constants alone


def rooms_of(tenant_id: UUID, key_id: UUID | None, currency: str) -> Headrooms:
    """Return the headroom. Call it inside the tenant's unit of work."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_BOUNDS, {"tenant": tenant_id, "key": key_id})
        return Headrooms.of([BoundRow(*row) for row in cursor.fetchall()], currency)


def budget_keys(key_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """Return for each key the key whose budgets it uses. Call it in their tenant's unit of work or operator work."""
    wanted = sorted(set(key_ids))
    if not wanted:
        return {}
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT key, maas_budget_key(key) FROM unnest(%s::uuid[]) key", [wanted])
        return dict(cursor.fetchall())


def budget_key(key_id: UUID | None) -> UUID | None:
    return None if key_id is None else budget_keys([key_id])[key_id]


@dataclass(frozen=True)
class BudgetNow:
    scope: str
    set_by: str
    monthly_micros: int
    used_micros: int
    held_micros: int

    @property
    def remaining_micros(self) -> int:
        return max(0, self.monthly_micros - self.used_micros - self.held_micros)


@dataclass(frozen=True)
class Balance:
    wallet: Wallet
    budgets: list[BudgetNow]


def balances(key_id: UUID | None = None) -> list[Balance]:
    """Return the balance in each currency, with the account's budgets and those of this key, but of no other key."""
    budgets: dict[str, list[BudgetNow]] = defaultdict(list)
    month = first_of_this_month()
    for budget in Budget.objects.filter(Q(api_key_id=None) | Q(api_key_id=budget_key(key_id))).order_by("set_at"):
        used = budget.used_micros if budget.month == month else 0
        now = BudgetNow(budget.scope, budget.set_by, budget.monthly_micros, used, budget.held_micros)
        budgets[budget.currency].append(now)
    return [Balance(wallet, budgets[wallet.currency]) for wallet in Wallet.objects.order_by("currency")]


@dataclass(frozen=True)
class IncludedRow:
    model: str
    """The model, or an empty text for all models."""
    meter: Meter
    quantity: int
    remaining: int


@dataclass(frozen=True)
class Standing:
    plan: Plan | None = None
    included: tuple[Included, ...] = ()
    left: tuple[Included, ...] = ()

    @property
    def rows(self) -> list[IncludedRow]:
        left = {(units.model, units.meter): units.quantity for units in self.left}
        return [
            IncludedRow(units.model, units.meter, units.quantity, left.get((units.model, units.meter), 0))
            for units in self.included
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
    """Return the units left: of a prepaid account in its pools, of others after the month's usage."""
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
    held = [subscription for subscription in before if subscription.starts_at.astimezone(UTC).date() >= month.first]
    return any(subscription.plan_id for subscription in (*held, *before[len(held) : len(held) + 1]))


def _share_of_month(month: Month, since: datetime) -> Fraction:
    first, after = (datetime.combine(day, time(), UTC) for day in (month.first, month.after_last))
    return Fraction((after - since) // _SECOND, (after - first) // _SECOND)
