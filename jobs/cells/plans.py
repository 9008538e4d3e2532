"""Gives the plans of the control cell, and takes them over in another cell."""

from datetime import datetime
from typing import Any

from jobs.cells.documents import IncludedPart, PlanPart, PricePart
from jobs.cells.errors import PartRefused
from jobs.cells.plan_changes import PlanHere, included_versions, plan_refusal, price_versions
from tenants.cells.replicated import Kind, replicated_part
from tenants.limits.fields import AccountLimits
from tenants.plans.models import Plan, PlanIncluded, PlanPrice, Subscription

LIMITS = tuple(field.name for field in AccountLimits._meta.get_fields())
_FIELDS = (
    "name",
    "currency",
    "monthly_fee_micros",
    "trial_days",
    "trial_credit_micros",
    "is_prepaid",
    "is_default",
    "archived",
)


def plan_parts() -> list[PlanPart]:
    """Return all plans with every version of their prices and included units. This is operator work."""
    found = Plan.objects.order_by("code").prefetch_related("prices", "included")
    return [_part(plan) for plan in found]


def apply_plan(wanted: PlanPart, now: datetime) -> list[str]:
    """Make the plan as the control cell has it, in the transaction of the export, and return what changed in words.

    Raises PartRefused.
    """
    plan = Plan.objects.select_for_update().filter(code=wanted.code).first()
    here = None if plan is None else _here(plan)
    if refusal := plan_refusal(here, wanted, now):
        raise PartRefused(refusal)
    if wanted.is_default:
        _require_no_other_default(wanted.code)
    values = {name: getattr(wanted, name) for name in _FIELDS} | {name: wanted.limits.get(name) for name in LIMITS}
    if plan is None:
        plan = Plan.objects.create(code=wanted.code, **values)
        return ["created", *_apply_versions(plan, PlanHere(_part(plan), sold=False, replicated=False), wanted, now)]
    assert here is not None
    changed = {name: value for name, value in values.items() if getattr(plan, name) != value}
    words = [f"{name.removesuffix('_micros')}: {getattr(plan, name)} to {value}" for name, value in changed.items()]
    for name, value in changed.items():
        setattr(plan, name, value)
    if changed:
        plan.save(update_fields=list(changed))
    return words + _apply_versions(plan, here, wanted, now)


def _apply_versions(plan: Plan, here: PlanHere, wanted: PlanPart, now: datetime) -> list[str]:
    prices = price_versions(here.part.prices, wanted.prices, now)
    units = included_versions(here.part.included, wanted.included, now)
    words = []
    for price in prices.deleted:
        PlanPrice.objects.filter(plan=plan, **_key(price)).delete()
        words.append(f"planned price of {_named(price)} removed")
    for unit in units.deleted:
        PlanIncluded.objects.filter(plan=plan, **_key(unit)).delete()
        words.append(f"planned units of {_named(unit)} removed")
    for price in prices.added:
        made = PlanPrice(plan=plan, **_values(price))
        made.save()
        words.append(f"price of {_named(price)}: {made.price_text(plan.currency)}")
    for unit in units.added:
        PlanIncluded(plan=plan, **_values(unit)).save()
        words.append(f"{unit.quantity} units of {_named(unit)} from {unit.valid_from:%Y-%m-%d %H:%M} UTC")
    return words


def _here(plan: Plan) -> PlanHere:
    return PlanHere(
        _part(plan),
        sold=Subscription.objects.filter(plan=plan).exists(),
        replicated=replicated_part(Kind.PLAN, plan.code) is not None,
    )


def _part(plan: Plan) -> PlanPart:
    return PlanPart(
        code=plan.code,
        limits={name: getattr(plan, name) for name in LIMITS},
        prices=[
            PricePart(
                price.model,
                price.meter,
                price.valid_from,
                price.amount_micros,
                price.per,
                price.cached_micros,
                price.review_micros,
            )
            for price in plan.prices.all()
        ],
        included=[IncludedPart(unit.model, unit.meter, unit.valid_from, unit.quantity) for unit in plan.included.all()],
        **{name: getattr(plan, name) for name in _FIELDS},
    )


def _require_no_other_default(code: str) -> None:
    other = Plan.objects.filter(is_default=True).exclude(code=code).first()
    if other is not None:
        raise PartRefused(
            f"The plan {other.code!r} of this cell is the default for new tenants. Remove the default there first."
        )


def _key(version: PricePart | IncludedPart) -> dict[str, Any]:
    return {"model": version.model, "meter": version.meter, "valid_from": version.valid_from}


def _values(version: PricePart | IncludedPart) -> dict[str, Any]:
    return {name: getattr(version, name) for name in version.__struct_fields__}


def _named(version: PricePart | IncludedPart) -> str:
    return f"{version.model or 'all models'} per {version.meter}"
