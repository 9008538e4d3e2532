"""The bill of a month. Included units are used up in order, and the units beyond them cost the price of their day.

An amount is rounded once, half to even, for its bill line. A bill line is the usage of one model at one price.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import ceil

from tenants.plans.prices import EVERY_MODEL, Meter, Price

PoolKey = tuple[str, Meter]
LineKey = tuple[str, bool, Price]
"""The model, whether the result was cached, and the price."""


@dataclass(frozen=True, slots=True)
class Used:
    """The usage of one day at one price: the price of the day, or the price that the work was accepted under."""

    day: date
    model: str
    quantity: int
    price: Price
    cached: bool = False
    """A flag that is true if the result was cached and no model ran."""


@dataclass(frozen=True, slots=True)
class Included:
    """Units that the fee pays for. The empty model name stands for all models."""

    model: str
    meter: Meter
    quantity: int


def share_of(included: Iterable[Included], share: Fraction) -> tuple[Included, ...]:
    """Return the included units, rounded up, of a plan that follows another one within a month."""
    return tuple(Included(units.model, units.meter, ceil(units.quantity * share)) for units in included)


@dataclass(frozen=True, slots=True)
class BillLine:
    model: str
    cached: bool
    price: Price
    quantity: int
    included: int
    """The number of units that the fee has paid for."""

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
    """The currency of the fee."""
    lines: tuple[BillLine, ...]
    left: tuple[Included, ...]
    """The included units that were not used."""

    @property
    def totals_micros(self) -> Mapping[str, int]:
        """Return the totals by currency. Amounts in different currencies are never added up."""
        totals: dict[str, int] = defaultdict(int, {self.currency: self.fee_micros})
        for line in self.lines:
            totals[line.price.currency] += line.amount_micros
        return dict(totals)


class Pools:
    """The included units that are left, taken from the model's pool first, then from the pool of all models."""

    def __init__(self, included: Iterable[Included]) -> None:
        self._left: dict[PoolKey, int] = defaultdict(int)
        for units in included:
            self._left[units.model, units.meter] += units.quantity

    def take(self, model: str, price: Price, quantity: int) -> int:
        """Take units and return how many of them were included. Usage that costs nothing takes no units."""
        return self.use(model, price.meter, quantity) if price.amount_micros else 0

    def use(self, model: str, meter: Meter, quantity: int) -> int:
        taken = 0
        for name in (model, EVERY_MODEL):
            part = min(self._left[name, meter], quantity - taken)
            self._left[name, meter] -= part
            taken += part
        return taken

    def give_up(self, model: str, meter: Meter, quantity: int) -> None:
        """Remove units from this pool alone, as far as it has any."""
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
    """Compute the bill. Included units go to earlier days first, and within a day to the most expensive usage.

    `settled` are units that were taken from the included units at use, and are no longer part of `included`.
    """
    before = dict(settled or {})
    pools = Pools(included)
    quantities: dict[LineKey, int] = defaultdict(int)
    covered: dict[LineKey, int] = defaultdict(int)
    for usage in sorted(used, key=_order):
        key = (usage.model, usage.cached, usage.price)
        quantities[key] += usage.quantity
        settled_units = min(usage.quantity, before.get(key, 0))
        before[key] = before.get(key, 0) - settled_units
        covered[key] += settled_units + pools.take(usage.model, usage.price, usage.quantity - settled_units)
    lines = (BillLine(*key, quantities[key], covered[key]) for key in sorted(quantities, key=_line_order))
    return MonthBill(fee_micros, currency, tuple(lines), pools.left)


def _order(usage: Used) -> tuple[object, ...]:
    return (
        usage.day,
        -Fraction(usage.price.amount_micros, usage.price.per),
        *_line_order((usage.model, usage.cached, usage.price)),
    )


def _line_order(key: LineKey) -> tuple[object, ...]:
    model, cached, price = key
    return (model, price.meter, cached, price.currency, Fraction(price.amount_micros, price.per), price.per)
