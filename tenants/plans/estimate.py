"""Estimates of what some work would cost, and how much of it the plan's fee has paid for."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from tenants.plans.agreed import AgreedPrice
from tenants.plans.month import Included, Pools, Used, month_bill


@dataclass(frozen=True, slots=True)
class Estimate:
    quantity: int
    cached_quantity: int
    """The number of units that would be cached already."""
    cost_micros: int
    """The cost at the agreed prices."""
    included: int
    """The number of units that the fee has paid for."""
    left: int
    """The included units that remain after this work."""
    to_pay_micros: int


def estimated(
    *, model: str, quantity: int, cached_share: Fraction, agreed: AgreedPrice, left: Iterable[Included]
) -> Estimate:
    """Estimate the cost of some work. `left` are the included units that remain this month. The cached part is rounded
    half to even.
    """
    cached = round(quantity * cached_share)
    parts = ((quantity - cached, agreed.price, False), (cached, agreed.cached_price, True))
    used = [Used(date.min, model, count, price, known) for count, price, known in parts if count]
    bill = month_bill(used, left, fee_micros=0, currency=agreed.price.currency)
    return Estimate(
        quantity=quantity,
        cached_quantity=cached,
        cost_micros=sum(one.price.cost_micros(one.quantity) for one in used),
        included=sum(line.included for line in bill.lines),
        left=Pools(bill.left).left_for(model, agreed.price.meter),
        to_pay_micros=sum(line.amount_micros for line in bill.lines),
    )
