"""The price of an account's pipeline: that of its steps together, so that it costs no less than they do apart. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from inference.pipelines.graph import Graph, GraphInvalid, ModelStep
from inference.registry.models import ModelVersion
from tenants.plans.agreed import AgreedPrices
from tenants.plans.prices import Price


def price_of_steps(
    graph: Graph, members: Mapping[str, ModelVersion], prices: AgreedPrices, before: Price
) -> Price | None:
    """Return the price of all model steps together, or None if they are free. `before` is that of earlier versions.

    Raises GraphInvalid if the prices cannot be added, because their units differ.
    """
    total: Price | None = None
    for step in graph.block.walk():
        if isinstance(step, ModelStep):
            total = _sum(step, total, _price(members[step.role], prices))
    if total is None or not before.amount_micros:
        return total
    if _unit(total) != _unit(before):
        raise GraphInvalid(
            f"its steps cost by {total.meter}, and earlier versions of the model by {before.meter}: choose another name"
        )
    return max(total, before, key=lambda price: price.amount_micros)


def _price(member: ModelVersion, prices: AgreedPrices) -> Price:
    served = member.served_model
    return prices.of_model(served.name, served.price, served.cached_price).price


def _sum(step: ModelStep, total: Price | None, price: Price) -> Price | None:
    if not price.amount_micros:
        return total
    if total is None:
        return price
    if _unit(total) != _unit(price):
        raise GraphInvalid(
            f"step '{step.name}': its member costs by {price.meter}, and other members by {total.meter}; use members "
            "with one unit in a pipeline"
        )
    return replace(total, amount_micros=total.amount_micros + price.amount_micros)


def _unit(price: Price) -> tuple[str, int, str]:
    return price.meter, price.per, price.currency
