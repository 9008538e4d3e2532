"""Selection of the version of a price, and of the included units, that applies at a moment."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

from tenants.plans.agreed import AgreedPrice, AgreedPrices, Of
from tenants.plans.month import Included
from tenants.plans.prices import Meter, Price


class _Begins(Protocol):
    @property
    def key(self) -> tuple[str, str, str]: ...
    @property
    def valid_from(self) -> datetime: ...


V = TypeVar("V", bound=_Begins)


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

    @property
    def key(self) -> tuple[str, str, str]:
        return self.of, self.model, self.meter


@dataclass(frozen=True, slots=True)
class IncludedOfThen:
    model: str
    meter: Meter
    quantity: int
    valid_from: datetime

    @property
    def key(self) -> tuple[str, str, str]:
        return "plan", self.model, self.meter


def _holding(versions: Iterable[V], moment: datetime) -> list[V]:
    """Return the latest version of each key that has begun."""
    last: dict[tuple[str, str, str], V] = {}
    for one in sorted(versions, key=lambda one: one.valid_from):
        if one.valid_from <= moment:
            last[one.key] = one
    return list(last.values())


def prices_at(versions: Sequence[PriceOfThen], moment: datetime) -> AgreedPrices:
    held: dict[tuple[Of, str, Meter], AgreedPrice] = {}
    for one in _holding(versions, moment):
        if one.amount_micros is None:
            continue
        cached = one.amount_micros if one.cached_micros is None else one.cached_micros
        held[one.of, one.model, one.meter] = AgreedPrice(
            price=Price(one.meter, one.amount_micros, one.per, one.currency),
            cached_price=Price(one.meter, cached, one.per, one.currency),
            of=one.of,
            version=one.version,
            valid_from=one.valid_from,
        )
    return AgreedPrices(held)


def included_at(versions: Sequence[IncludedOfThen], moment: datetime) -> tuple[Included, ...]:
    held = _holding(versions, moment)
    return tuple(Included(one.model, one.meter, one.quantity) for one in held if one.quantity)


def included_between(
    versions: Sequence[IncludedOfThen], since: datetime, until: datetime
) -> tuple[Included, ...]:
    """Return the highest quantity of each kind that applied at any moment of the period, so that a change within the
    period reduces nothing.
    """
    most: dict[tuple[str, Meter], int] = {}
    begun = (one for one in versions if since < one.valid_from < until)
    for one in (*_holding(versions, since), *begun):
        most[one.model, one.meter] = max(most.get((one.model, one.meter), 0), one.quantity)
    return tuple(Included(*key, quantity) for key, quantity in sorted(most.items()) if quantity)
