"""Reads of plans, and of the terms that a tenant's plan results in at this moment."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from django.db import connections
from django.db.models import QuerySet, Value
from django.db.models.functions import Now

from tenants.core.db.unit_of_work import current_alias
from tenants.plans.agreed import AgreedPrices, IncludedOfThen, PriceOfThen
from tenants.plans.models import Plan, PlanIncluded, PlanPrice, Subscription, TenantPrice
from tenants.plans.prices import Meter


@dataclass(frozen=True)
class Terms:
    plan: Mapping[str, int | None]
    """The limits of the plan; empty without a plan."""
    prices: AgreedPrices


def terms_of(tenant_id: UUID) -> Terms:
    """Return a tenant's terms, as for the admission of keys. Call this in its unit of work or operator work."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT maas_terms_of(%s)::text", [tenant_id])
        found = json.loads(cursor.fetchone()[0])
    return Terms(found["plan"] or {}, AgreedPrices.read(found["prices"] or ()))


def default_plan() -> Plan | None:
    return Plan.objects.filter(is_default=True).first()


def subscriptions_of(tenant_id: UUID) -> QuerySet[Subscription]:
    """Return the subscriptions, newest first, including those that are planned."""
    return Subscription.objects.filter(tenant_id=tenant_id).select_related("plan").order_by("-starts_at")


def current_subscription(tenant_id: UUID) -> Subscription | None:
    """Return the subscription, or None if the tenant never had one. Its plan is None if the plan has ended."""
    return subscriptions_of(tenant_id).filter(starts_at__lte=Now()).first()


def current_plan(tenant_id: UUID) -> Plan | None:
    subscription = current_subscription(tenant_id)
    return subscription.plan if subscription else None


def price_versions(plan: Plan | None, tenant_id: UUID | None = None) -> list[PriceOfThen]:
    """Return all past, present and planned price versions of a plan and of a tenant."""
    columns = (
        "id",
        "model",
        "meter",
        "amount_micros",
        "cached_micros",
        "per",
        "currency",
        "valid_from",
        "review_micros",
    )
    found: list[PriceOfThen] = []
    if tenant_id is not None:
        own = TenantPrice.objects.filter(tenant_id=tenant_id).values_list(*columns)
        found += [PriceOfThen("tenant", *row) for row in own]
    if plan is not None:
        its = PlanPrice.objects.filter(plan=plan).annotate(currency=Value(plan.currency)).values_list(*columns)
        found += [PriceOfThen("plan", *row) for row in its]
    return found


def included_versions(plan: Plan) -> list[IncludedOfThen]:
    rows = PlanIncluded.objects.filter(plan=plan)
    return [IncludedOfThen(row.model, cast(Meter, row.meter), row.quantity, row.valid_from) for row in rows]
