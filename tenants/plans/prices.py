"""The cost of a quantity of work, in integer micro-units of a currency."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

Meter = Literal["page", "token", "call", "gpu_second", "model_hour"]
METERS_OF_WORK: tuple[Meter, ...] = ("page", "token", "call", "gpu_second")
"""The meters by which a model can charge its work. Each model has one."""
MODEL_HOUR: Meter = "model_hour"
"""The meter of hosting: an hour in which a version of an account's own model was in memory."""
METERS: tuple[Meter, ...] = (*METERS_OF_WORK, MODEL_HOUR)
"""The meters of usage. Quantities are whole numbers, those of `gpu_second` in milliseconds, priced per 1000."""
MS_PER_SECOND = 1000
EVERY_MODEL = ""
"""The name that stands for all models, in prices and in included units."""


@dataclass(frozen=True)
class Price:
    """A price of `amount_micros` for every `per` units of `meter`. A job keeps the price it was accepted under."""

    meter: Meter
    amount_micros: int
    per: int
    currency: str

    def __post_init__(self) -> None:
        if self.meter not in METERS or self.per < 1 or self.amount_micros < 0:
            raise ValueError(f"not a price: {self}")

    def cost_micros(self, quantity: int) -> int:
        """Return the cost. It is rounded half to even, once, from the exact fraction."""
        if quantity < 0:
            raise ValueError(f"quantity {quantity} is negative")
        whole, rest = divmod(self.amount_micros * quantity, self.per)
        twice = 2 * rest
        return whole + (1 if twice > self.per or (twice == self.per and whole % 2) else 0)

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    @property
    def as_text(self) -> str:
        return json.dumps(self.to_json())

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> "Price":
        return cls(
            meter=value["meter"],  # type: ignore[arg-type]  # __post_init__ checks it
            amount_micros=int(str(value["amount_micros"])),
            per=int(str(value["per"])),
            currency=str(value["currency"]),
        )


def saved_micros(price: Price, quantity: int, *, cost_micros: int, currency: str) -> int:
    """Return how much less a cached result cost than a run, counted as `quantity`, or 0 in another currency."""
    return price.cost_micros(quantity) - cost_micros if price.currency == currency else 0


def display(amount_micros: int) -> str:
    """Write micro-units as a decimal number, without needless trailing zeros: 1500 -> 0.0015."""
    whole, micros = divmod(abs(amount_micros), 1_000_000)
    fraction = f"{micros:06d}".rstrip("0")
    return f"{'-' if amount_micros < 0 else ''}{whole}.{fraction.ljust(2, '0')}"
