"""The prices and included units that apply to a tenant (its own, its plan's or the model's), and estimates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Literal, TypeVar
from uuid import UUID

from tenants.plans.month import Included, Pools, Used, month_bill
from tenants.plans.prices import EVERY_MODEL, MODEL_HOUR, Meter, Price

Of = Literal["tenant", "plan", "model"]
"""The owner of a price."""
_NEAREST_FIRST: tuple[Of, ...] = ("tenant", "plan")
_Key = tuple[Of, str, Meter]


@dataclass(frozen=True, slots=True)
class AgreedPrice:
    price: Price
    cached_price: Price
    """The price of a cached result, for which no model runs."""
    of: Of = "model"
    version: UUID | None = None
    valid_from: datetime | None = None
    """The start of the price. It is None for the model's own price, because only its present version is stored."""
    review_price: Price | None = None
    """The price of a page that a person must check, or None if it costs the same as others."""

    @property
    def price_of_review(self) -> Price:
        return self.price if self.review_price is None else self.review_price


@dataclass(frozen=True, slots=True)
class AgreedPrices:
    """The prices that apply to one tenant at one moment. None of them has ended."""

    held: Mapping[_Key, AgreedPrice] = field(default_factory=dict)

    def of_model(self, name: str, price: Price, cached_price: Price, review_price: Price | None = None) -> AgreedPrice:
        """Return the nearest price for a model. A model is charged by the meter of its own price, which is `price`.
        Only work on pages needs its `review_price`.
        """
        for of in _NEAREST_FIRST:
            for which in (name, EVERY_MODEL):
                found = self.held.get((of, which, price.meter))
                if found is not None:
                    return found
        return AgreedPrice(price, cached_price, review_price=review_price)

    def of_hosting(self, name: str) -> AgreedPrice | None:
        """Return the nearest price of an hour in memory for a model of the account's own, or None if there is none."""
        held = (self.held.get((of, which, MODEL_HOUR)) for of in _NEAREST_FIRST for which in (name, EVERY_MODEL))
        return next((found for found in held if found is not None), None)

    @classmethod
    def read(cls, rows: Sequence[Mapping[str, Any]]) -> "AgreedPrices":
        """Read the prices from the JSON that the database writes."""
        found = [
            PriceOfThen(
                version=UUID(row["id"]),
                valid_from=datetime.fromisoformat(row["valid_from"]),
                **{name: row[name] for name in ("of", "model", "meter", "per", "currency")},
                **{name: row[name] for name in ("amount_micros", "cached_micros", "review_micros")},
            )
            for row in rows
        ]
        return cls({version.key: version.agreed for version in found})


NONE = AgreedPrices()
"""The prices of a tenant that pays the models' own prices."""


@dataclass(frozen=True, slots=True)
class PriceOfThen:
    of: Of
    version: UUID
    model: str
    meter: Meter
    amount_micros: int | None
    """The price in micro-units; None if this version ends the price before it."""
    cached_micros: int | None
    per: int
    currency: str
    valid_from: datetime
    review_micros: int | None = None

    @property
    def key(self) -> _Key:
        return self.of, self.model, self.meter

    @property
    def agreed(self) -> AgreedPrice:
        """Return the price of a version that does not end one."""
        assert self.amount_micros is not None
        cached_micros = self.amount_micros if self.cached_micros is None else self.cached_micros
        price, cached = (
            Price(self.meter, micros, self.per, self.currency) for micros in (self.amount_micros, cached_micros)
        )
        review = None if self.review_micros is None else replace(price, amount_micros=self.review_micros)
        return AgreedPrice(price, cached, self.of, self.version, self.valid_from, review)


@dataclass(frozen=True, slots=True)
class IncludedOfThen:
    model: str
    meter: Meter
    quantity: int
    valid_from: datetime

    @property
    def key(self) -> _Key:
        return "plan", self.model, self.meter


V = TypeVar("V", PriceOfThen, IncludedOfThen)


def _holding(versions: Iterable[V], moment: datetime) -> list[V]:
    """Return the latest version of each key that has begun."""
    last: dict[_Key, V] = {}
    for version in sorted(versions, key=lambda version: version.valid_from):
        if version.valid_from <= moment:
            last[version.key] = version
    return list(last.values())


def prices_at(versions: Sequence[PriceOfThen], moment: datetime) -> AgreedPrices:
    held = _holding(versions, moment)
    return AgreedPrices({version.key: version.agreed for version in held if version.amount_micros is not None})


def included_between(versions: Sequence[IncludedOfThen], since: datetime, until: datetime) -> tuple[Included, ...]:
    """Return the highest quantity of each kind during the period: a change within it reduces nothing."""
    most: dict[tuple[str, Meter], int] = {}
    begun = (version for version in versions if since < version.valid_from < until)
    for version in (*_holding(versions, since), *begun):
        most[version.model, version.meter] = max(most.get((version.model, version.meter), 0), version.quantity)
    return tuple(Included(*key, quantity) for key, quantity in sorted(most.items()) if quantity)


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
    """Estimate the cost. `left` are the month's remaining included units. The cached part rounds half to even."""
    cached = round(quantity * cached_share)
    parts = ((quantity - cached, agreed.price, False), (cached, agreed.cached_price, True))
    used = [Used(date.min, model, count, price, is_cached) for count, price, is_cached in parts if count]
    bill = month_bill(used, left, fee_micros=0, currency=agreed.price.currency)
    return Estimate(
        quantity=quantity,
        cached_quantity=cached,
        cost_micros=sum(usage.price.cost_micros(usage.quantity) for usage in used),
        included=sum(line.included for line in bill.lines),
        left=Pools(bill.left).left_for(model, agreed.price.meter),
        to_pay_micros=sum(line.amount_micros for line in bill.lines),
    )
