"""Selection of the price that applies to a tenant's use of a model: the tenant's own, its plan's, or the model's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from tenants.plans.prices import Meter, Price

Of = Literal["tenant", "plan", "model"]
"""The owner of a price."""
EVERY_MODEL = ""
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


@dataclass(frozen=True, slots=True)
class AgreedPrices:
    """The prices that apply to one tenant at one moment. None of them has ended."""

    held: Mapping[_Key, AgreedPrice] = field(default_factory=dict)

    def of_model(self, name: str, price: Price, cached_price: Price) -> AgreedPrice:
        """Return the nearest price for a model. A model is charged by the meter of its own price, which is `price`."""
        if self.held:
            for of in ("tenant", "plan"):
                for which in (name, EVERY_MODEL):
                    found = self.held.get((of, which, price.meter))
                    if found is not None:
                        return found
        return AgreedPrice(price, cached_price)

    @classmethod
    def read(cls, rows: Sequence[Mapping[str, Any]]) -> "AgreedPrices":
        """Read the prices from the JSON that the database writes."""
        return cls({(row["of"], row["model"], row["meter"]): _agreed(row) for row in rows}) if rows else NONE


def _agreed(row: Mapping[str, Any]) -> AgreedPrice:
    amount, cached, per, currency = (
        row[name] for name in ("amount_micros", "cached_micros", "per", "currency")
    )
    return AgreedPrice(
        price=Price(row["meter"], amount, per, currency),
        cached_price=Price(row["meter"], amount if cached is None else cached, per, currency),
        of=row["of"],
        version=UUID(row["id"]),
        valid_from=datetime.fromisoformat(row["valid_from"]),
    )


NONE = AgreedPrices()
"""The prices of a tenant that pays the models' own prices."""
