"""What a month comes to: included units are used up in order, and what is over costs the price of its day.

An amount is rounded once, for its line, half to even. A line is what one model did at one price.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import ceil

from tenants.plans.agreed import EVERY_MODEL
from tenants.plans.prices import Meter, Price

PoolKey = tuple[str, Meter]
LineKey = tuple[str, bool, Price]
"""Model, whether it was known, price."""


@dataclass(frozen=True, slots=True)
class Used:
    """Of one day, at one price: its day's, or the one that it was accepted under."""

    day: date
    model: str
    quantity: int
    price: Price
    cached: bool = False
    """Whether it was known, and no model ran."""


@dataclass(frozen=True, slots=True)
class Included:
    """Units that the fee pays for; the empty model stands for all."""

    model: str
    meter: Meter
    quantity: int


def share_of(included: Iterable[Included], share: Fraction) -> tuple[Included, ...]:
    """Of a plan that follows another within a month, for what is left of it; begun units are whole."""
    return tuple(Included(one.model, one.meter, ceil(one.quantity * share)) for one in included)


@dataclass(frozen=True, slots=True)
class BillLine:
    model: str
    cached: bool
    price: Price
    quantity: int
    included: int
    """So many of them the fee has paid for."""

    @property
    def over(self) -> int:
        return self.quantity - self.included

    @property
    def amount_micros(self) -> int:
        return self.price.cost_micros(self.over)


@dataclass(frozen=True, slots=True)
class MonthBill:
    fee_micros: int
    currency: str
    """The fee's."""
    lines: tuple[BillLine, ...]
    left: tuple[Included, ...]
    """What was included and not used."""

    @property
    def totals_micros(self) -> Mapping[str, int]:
        """By currency: different ones are never added up."""
        totals: dict[str, int] = defaultdict(int, {self.currency: self.fee_micros})
        for line in self.lines:
            totals[line.price.currency] += line.amount_micros
        return dict(totals)


class Pools:
    """What is included, less what was taken out: of the one model first, then of all models."""

    def __init__(self, included: Iterable[Included]) -> None:
        self._left: dict[PoolKey, int] = defaultdict(int)
        for one in included:
            self._left[one.model, one.meter] += one.quantity

    def take(self, model: str, price: Price, quantity: int) -> int:
        """How many of them were included. What costs nothing takes nothing."""
        return self.use(model, price.meter, quantity) if price.amount_micros else 0

    def use(self, model: str, meter: Meter, quantity: int) -> int:
        taken = 0
        for name in (model, EVERY_MODEL):
            part = min(self._left[name, meter], quantity - taken)
            self._left[name, meter] -= part
            taken += part
        return taken

    def give_up(self, model: str, meter: Meter, quantity: int) -> None:
        """Of this pool alone, as far as it goes."""
        self._left[model, meter] = max(0, self._left[model, meter] - quantity)

    def left_for(self, model: str, meter: Meter) -> int:
        return self._left[model, meter] + self._left[EVERY_MODEL, meter]

    @property
    def left(self) -> tuple[Included, ...]:
        return tuple(Included(*key, quantity) for key, quantity in sorted(self._left.items()) if quantity)


def month_bill(
    used: Sequence[Used],
    included: Iterable[Included],
    *,
    fee_micros: int,
    currency: str,
    settled: Mapping[LineKey, int] | None = None,
) -> MonthBill:
    """Included units go by the order of days; within a day to what is dearest, so that they are worth the most.

    `settled`: units that were taken out of what is included as they were used, and are not in `included` any more.
    """
    before = dict(settled or {})
    pools = Pools(included)
    quantities: dict[LineKey, int] = defaultdict(int)
    covered: dict[LineKey, int] = defaultdict(int)
    for one in sorted(used, key=_order):
        key = (one.model, one.cached, one.price)
        quantities[key] += one.quantity
        known = min(one.quantity, before.get(key, 0))
        before[key] = before.get(key, 0) - known
        covered[key] += known + pools.take(one.model, one.price, one.quantity - known)
    lines = (BillLine(*key, quantities[key], covered[key]) for key in sorted(quantities, key=_line_order))
    return MonthBill(fee_micros, currency, tuple(lines), pools.left)


def _order(one: Used) -> tuple[object, ...]:
    return (
        one.day,
        -Fraction(one.price.amount_micros, one.price.per),
        *_line_order((one.model, one.cached, one.price)),
    )


def _line_order(key: LineKey) -> tuple[object, ...]:
    model, cached, price = key
    return (model, price.meter, cached, price.currency, Fraction(price.amount_micros, price.per), price.per)
