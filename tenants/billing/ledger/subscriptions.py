"""Writes plans and subscriptions. The database protects subscriptions that have begun. All of this is operator work."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from tenants.accounts.models import Tenant
from tenants.billing.ledger.models import Wallet
from tenants.billing.ledger.terms import grant_credit, set_terms
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.ids import uuid7
from tenants.core.months import Month
from tenants.limits.fields import AccountLimits
from tenants.plans.models import Plan, PlanIncluded, PlanPrice, Subscription
from tenants.plans.selectors import current_subscription, default_plan

_COPIED = ("currency", "monthly_fee_micros", "trial_days", "trial_credit_micros", "is_prepaid", "tier")
_LIMITS = tuple(field.name for field in AccountLimits._meta.get_fields())


class Start(Enum):
    NOW = "now"
    NEXT_MONTH = "next month"


class PlanArchived(ValueError):
    """The error for an archived plan. Tenants that have the plan keep it, and no other tenant gets it."""


def subscribe(*, tenant_id: UUID, plan: Plan | None, start: Start = Start.NOW) -> Subscription | None:
    """Give the tenant this plan, or none, from `start` on. It replaces any planned change. A repeated call changes
    nothing.

    Return None if the tenant has no plan and gets none. The first plan begins with its trial. Raises PlanArchived.
    """
    with _alone(tenant_id):
        current = current_subscription(tenant_id)
        _planned(tenant_id).delete()
        if (current.plan_id if current else None) == (plan.pk if plan else None):
            return current
        if plan is not None and plan.archived:
            raise PlanArchived(f"The plan {plan.name!r} is archived. Choose an active plan.")
        now = database_now()
        starts_at = now if start is Start.NOW else _next_month(now)
        is_first = not Subscription.objects.filter(tenant_id=tenant_id).exclude(plan=None).exists()
        trial = timedelta(days=plan.trial_days) if plan and is_first else None
        made = Subscription.objects.create(
            tenant_id=tenant_id,
            plan=plan,
            starts_at=starts_at,
            trial_ends_at=starts_at + trial if trial else None,
        )
        if plan and is_first:
            _begin_first_plan(made, plan)
    return made


def give_default_plan(*, tenant_id: UUID) -> Subscription | None:
    """Give a tenant that is being created the default plan. Do nothing if no plan is for new tenants."""
    with operator_work():
        plan = default_plan()
    return subscribe(tenant_id=tenant_id, plan=plan) if plan else None


def stay_with_plan(*, tenant_id: UUID) -> bool:
    """Cancel the planned change. Return whether there was one."""
    with _alone(tenant_id):
        return bool(_planned(tenant_id).delete()[0])


def end_plan(*, tenant_id: UUID) -> None:
    """End the plan of an account that is being erased, so that no fee is due from now on."""
    subscribe(tenant_id=tenant_id, plan=None)


@contextmanager
def _alone(tenant_id: UUID) -> Iterator[None]:
    """Lock the tenant, so that concurrent changes happen one after the other."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        Tenant.objects.select_for_update(no_key=True).get(id=tenant_id)
        yield


def _planned(tenant_id: UUID) -> QuerySet[Subscription]:
    return Subscription.objects.filter(tenant_id=tenant_id, starts_at__gt=Now())


def _next_month(now: datetime) -> datetime:
    first = Month.of(now.astimezone(UTC).date()).after_last
    return datetime(first.year, first.month, first.day, tzinfo=UTC)


def _begin_first_plan(subscription: Subscription, plan: Plan) -> None:
    """Make the tenant prepaid if the plan requires it, unless it has terms already, and give the trial's credit."""
    tenant_id = subscription.tenant_id
    if plan.is_prepaid and not Wallet.objects.filter(tenant_id=tenant_id).exists():
        set_terms(tenant_id=tenant_id, currency=plan.currency, kind=Wallet.Kind.PREPAID)
    if plan.trial_credit_micros:
        grant_credit(
            tenant_id=tenant_id,
            currency=plan.currency,
            amount_micros=plan.trial_credit_micros,
            reason=f"Trial of the plan {plan.name}",
            made_by="",
            grant_id=subscription.pk,
        )


def duplicate_plan(*, plan: Plan) -> Plan:
    """Copy a plan with its present and future versions. No tenant has the copy yet."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        now = database_now()
        copy = Plan.objects.create(
            name=f"{plan.name} (copy)"[:100],
            code=_free_code(plan.code),
            **{name: getattr(plan, name) for name in (*_COPIED, *_LIMITS)},
        )
        for kind in (PlanPrice, PlanIncluded):
            _copy_versions(kind, plan, copy, now)
    return copy


def _free_code(code: str) -> str:
    taken = set(Plan.objects.filter(code__startswith=code[:40]).values_list("code", flat=True))
    return next(found for n in range(2, len(taken) + 3) if (found := f"{code[:40]}-{n}") not in taken)


def _copy_versions(kind: type[Any], plan: Plan, copy: Plan, now: datetime) -> None:
    rows = kind._default_manager.filter(plan=plan)
    holding = rows.filter(valid_from__lte=now).order_by("model", "meter", "-valid_from")
    current = holding.distinct("model", "meter").values_list("pk")
    for row in rows.filter(Q(pk__in=current) | Q(valid_from__gt=now)):
        row.pk, row.plan, row.valid_from = uuid7(), copy, max(row.valid_from, now)
        row._state.adding = True
        row.save(force_insert=True)
