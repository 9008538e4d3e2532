"""Queries for the models' own prices and for plans as they are sold, for operators."""

from inference.admin.plans.example import Offer, OwnPrices
from inference.registry.models import ServedModel
from tenants.plans.models import Plan
from tenants.plans.selectors import included_versions, price_versions


def models_own_prices() -> dict[str, OwnPrices]:
    served = ServedModel.objects.order_by("name")
    return {one.name: OwnPrices(one.price, one.cached_price) for one in served}


def offer_of(plan: Plan) -> Offer:
    return Offer(
        name=plan.name,
        currency=plan.currency,
        fee_micros=plan.monthly_fee_micros,
        prices=price_versions(plan),
        included=included_versions(plan),
    )
