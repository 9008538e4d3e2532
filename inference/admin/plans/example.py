"""The cost of a month under a plan for an imagined use, computed without queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from fractions import Fraction

from tenants.core.months import Month
from tenants.core.shares import in_units, spread, unit_micros
from tenants.plans.agreed import AgreedPrices, IncludedOfThen, PriceOfThen, included_between, prices_at
from tenants.plans.month import MonthBill, Used, month_bill
from tenants.plans.prices import Price


@dataclass(frozen=True, slots=True)
class OwnPrices:
    """The prices of a model itself, which hold if no price in the plan applies."""

    price: Price
    cached_price: Price
    review_price: Price | None = None


@dataclass(frozen=True, slots=True)
class ImaginedUse:
    model: str
    quantity: int
    cached_share: Fraction = Fraction(0)


@dataclass(frozen=True)
class Offer:
    """A plan as it is sold, or the absence of a plan."""

    name: str
    currency: str
    fee_micros: int = 0
    prices: Sequence[PriceOfThen] = ()
    included: Sequence[IncludedOfThen] = ()


def example_month(
    offer: Offer, uses: Sequence[ImaginedUse], models: Mapping[str, OwnPrices], month: Month
) -> MonthBill:
    """Return the bill of a month. The use is spread evenly over the days, each at the prices at its start."""
    used: list[Used] = []
    for position, day in enumerate(month.days):
        agreed = prices_at(offer.prices, datetime.combine(day, time(), UTC))
        for use in uses:
            used += _of_day(use, models[use.model], agreed, month, position)
    first, after = (datetime.combine(day, time(), UTC) for day in (month.first, month.after_last))
    included = included_between(offer.included, first, after)
    return month_bill(used, included, fee_micros=offer.fee_micros, currency=offer.currency)


def _of_day(use: ImaginedUse, own: OwnPrices, agreed: AgreedPrices, month: Month, position: int) -> list[Used]:
    day, days = month.days[position], len(month.days)
    cached = round(use.quantity * use.cached_share)
    held = agreed.of_model(use.model, own.price, own.cached_price)
    ran_today, known_today = (spread(part, days)[position] for part in (use.quantity - cached, cached))
    parts = (
        Used(day, use.model, ran_today, held.price),
        Used(day, use.model, known_today, held.cached_price, cached=True),
    )
    return [part for part in parts if part.quantity]


@dataclass(frozen=True, slots=True)
class Rounded:
    """The amounts rounded to the smallest unit that is paid. Rounding leftovers go to the largest remainder."""

    fee_micros: int
    lines_micros: tuple[int, ...]
    """The amount of each bill line, or 0 if the line is in another currency."""
    total_micros: int


def rounded_in(bill: MonthBill, currency: str) -> Rounded:
    theirs = [line.amount_micros if line.price.currency == currency else 0 for line in bill.lines]
    fee = bill.fee_micros if bill.currency == currency else 0
    parts = in_units([fee, *theirs], unit_micros(currency))
    return Rounded(parts[0], tuple(parts[1:]), sum(parts))
