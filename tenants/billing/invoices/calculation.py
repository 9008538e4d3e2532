"""Computes the amounts of a month, item by item, and the part of them that is still to be billed. Pure.

A month is always computed whole, and billed less what was billed for it. So it can be billed in parts, or late.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Literal, get_args
from uuid import UUID

from tenants.core.shares import in_units, unit_micros
from tenants.plans.month import Included, LineKey, Pools, Used, month_bill, share_of
from tenants.plans.prices import Price

Kind = Literal["fee", "usage", "uncollected", "correction"]
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Item:
    """An item that is billed once. The same item of the same month on a later invoice adds to it."""

    kind: Kind
    month: date
    currency: str
    plan_id: UUID | None = None
    model: str = ""
    cached: bool = False
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class Amount:
    quantity: int = 0
    included: int = 0
    exact_micros: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            self.quantity + other.quantity,
            self.included + other.included,
            self.exact_micros + other.exact_micros,
        )

    def __sub__(self, other: "Amount") -> "Amount":
        return self + Amount(-other.quantity, -other.included, -other.exact_micros)

    def __bool__(self) -> bool:
        return bool(self.quantity or self.included or self.exact_micros)


Amounts = Mapping[Item, Amount]


@dataclass(frozen=True, slots=True)
class MonthOfTime:
    first: datetime
    after_last: datetime
    until: datetime
    """The end of the billed time: the month's end, or the present moment if that is earlier."""

    def share(self, since: datetime, until: datetime) -> Fraction:
        return Fraction(max(timedelta(), until - since) // _SECOND, (self.after_last - self.first) // _SECOND)


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the month during which one plan, or no plan, was in force."""

    since: datetime
    until: datetime
    used: tuple[Used, ...]
    plan_id: UUID | None = None
    currency: str = ""
    fee_micros: int = 0
    trial_ends_at: datetime | None = None
    included: tuple[Included, ...] = ()
    """The units that the plan includes in a whole month."""
    follows_a_plan: bool = False
    """True if another plan was in force earlier in this month. The units are then for the rest of the month only."""
    settled: tuple[Included, ...] = ()
    """The units already taken out of `included` at use."""
    settled_lines: Mapping[LineKey, int] = field(default_factory=dict)
    """Units of the month's usage that were not charged at use, because the units in `settled` covered them."""


def _pools(segment: Segment, month: MonthOfTime) -> tuple[Included, ...]:
    """Return the segment's included units minus the settled ones. A pool never goes below zero."""
    share = month.share(segment.since, month.after_last) if segment.follows_a_plan else Fraction(1)
    pools = Pools(share_of(segment.included, share))
    for included in segment.settled:
        pools.give_up(included.model, included.meter, included.quantity)
    return pools.left


def settled_by_segment(segments: Sequence[Segment], elsewhere: Mapping[LineKey, int]) -> list[dict[LineKey, int]]:
    """Return the units of each segment that were included at use: its own settled lines first, up to its own usage.

    The rest is spread over all segments: work under one plan with units of another, and units in `elsewhere`.
    """
    there = [_quantities(segment.used) for segment in segments]
    found: list[dict[LineKey, int]] = [{} for _ in segments]
    rest = dict(elsewhere)
    for segment, used, mine in zip(segments, there, found, strict=True):
        for key, quantity in segment.settled_lines.items():
            mine[key] = min(quantity, used.get(key, 0))
            rest[key] = rest.get(key, 0) + quantity - mine[key]
    for key, quantity in rest.items():
        left = quantity
        for used, mine in zip(there, found, strict=True):
            more = min(left, used.get(key, 0) - mine.get(key, 0))
            mine[key] = mine.get(key, 0) + more
            left -= more
    return found


def _quantities(used: Sequence[Used]) -> dict[LineKey, int]:
    found: dict[LineKey, int] = defaultdict(int)
    for usage in used:
        found[usage.model, usage.cached, usage.price] += usage.quantity
    return found


def month_amounts(
    month: MonthOfTime, segments: Sequence[Segment], settled: Mapping[LineKey, int] | None = None
) -> dict[Item, Amount]:
    """Return the amounts of the month: fees by the second, and usage beyond the included units by model and price.

    Free usage is not billed. `settled` are units included at use, from pools of no segment. They stay included.
    """
    found: dict[Item, Amount] = defaultdict(Amount)
    for segment, settled_units in zip(segments, settled_by_segment(segments, settled or {}), strict=True):
        first = month.first.date()
        if segment.fee_micros:
            fee = Item("fee", first, segment.currency, plan_id=segment.plan_id)
            found[fee] += Amount(exact_micros=_fee(segment, month))
        pools = _pools(segment, month)
        bill = month_bill(segment.used, pools, fee_micros=0, currency=segment.currency, settled=settled_units)
        for line in bill.lines:
            if not line.price.amount_micros:
                continue
            item = Item("usage", first, line.price.currency, model=line.model, cached=line.cached, price=line.price)
            found[item] += Amount(line.quantity, line.included)
    return {item: _priced(item, amount) for item, amount in found.items()}


def _fee(segment: Segment, month: MonthOfTime) -> int:
    since = max(segment.since, segment.trial_ends_at or segment.since)
    return round(segment.fee_micros * month.share(since, segment.until))  # half to even


def _priced(item: Item, amount: Amount) -> Amount:
    """Return the amount with its cost, which is rounded once for the whole item."""
    if item.price is None:
        return amount
    return Amount(amount.quantity, amount.included, item.price.cost_micros(amount.quantity - amount.included))


def still_to_bill(now: Amounts, billed: Amounts) -> dict[Item, Amount]:
    items = [*now, *(item for item in billed if item not in now)]
    rest = {item: now.get(item, Amount()) - billed.get(item, Amount()) for item in items}
    return {item: amount for item, amount in rest.items() if amount}


def with_uncollected(
    rest: Amounts, *, month: date, uncollected_micros: Mapping[str, int], billed: Amounts
) -> dict[Item, Amount]:
    """Subtract what a balance could not pay, as the operator's loss, but never more than the rest comes to."""
    found = dict(rest)
    for currency, micros in uncollected_micros.items():
        item = Item("uncollected", month, currency)
        missing = micros + billed.get(item, Amount()).exact_micros
        sum_micros = sum(amount.exact_micros for item, amount in rest.items() if item.currency == currency)
        if (less := min(missing, sum_micros)) > 0:
            found[item] = Amount(exact_micros=-less)
    return found


@dataclass(frozen=True, slots=True)
class Tax:
    name: str = ""
    rate_bp: int = 0
    note: str = ""

    def of(self, net_micros: int, unit: int) -> int:
        """Return the tax, computed once on the sum of an invoice."""
        return round(Fraction(net_micros * self.rate_bp, 10_000 * unit)) * unit


@dataclass(frozen=True, slots=True)
class CalculatedLine:
    item: Item
    amount: Amount
    amount_micros: int
    recorded_late: bool


@dataclass(frozen=True, slots=True)
class Draft:
    """An invoice that has no number yet."""

    currency: str
    lines: tuple[CalculatedLine, ...]
    tax: Tax

    @property
    def net_micros(self) -> int:
        return sum(line.amount_micros for line in self.lines)

    @property
    def tax_micros(self) -> int:
        return self.tax.of(self.net_micros, unit_micros(self.currency))

    @property
    def total_micros(self) -> int:
        return self.net_micros + self.tax_micros


def drafts(rest: Amounts, *, month: date, tax: Tax) -> list[Draft]:
    """Return one draft per currency. Lines are rounded to payable units and add up to the rounded sum."""
    found = []
    for currency in sorted({item.currency for item in rest}):
        items = sorted((item for item in rest if item.currency == currency), key=_order)
        cents = in_units([rest[item].exact_micros for item in items], unit_micros(currency))
        lines = tuple(
            CalculatedLine(item, rest[item], cent, recorded_late=item.month != month)
            for item, cent in zip(items, cents, strict=True)
        )
        found.append(Draft(currency, lines, tax))
    return found


def _order(item: Item) -> tuple[object, ...]:
    price = item.price or Price("page", 0, 1, item.currency)
    return (
        item.month,
        get_args(Kind).index(item.kind),
        str(item.plan_id or ""),
        item.model,
        item.cached,
        price.meter,
        price.amount_micros,
        price.per,
    )


@dataclass(frozen=True, slots=True)
class Corrected:
    """A part of an invoice that is taken back."""

    net_micros: int
    tax_micros: int

    @property
    def total_micros(self) -> int:
        return self.net_micros + self.tax_micros


def corrected(net_micros: int, *, of: Corrected, before: Corrected, unit: int) -> Corrected:
    """Return the part with its tax. All parts of an invoice together take back exactly all of its tax."""
    if not 0 < net_micros <= of.net_micros - before.net_micros:
        raise ValueError(f"{net_micros} is not between 0 and what is left of {of.net_micros}")
    whole = round(Fraction(of.tax_micros * (before.net_micros + net_micros), of.net_micros * unit)) * unit
    return Corrected(net_micros, whole - before.tax_micros)


def due_micros(*, total_micros: int, balance_micros: int) -> int:
    """Return the amount that the balance lacks for an invoice with which it was already charged."""
    return min(total_micros, max(0, -balance_micros))
