"""The cost of a page or a job."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Self

from maas_client.resources.json_values import Json


@dataclass(frozen=True, slots=True)
class Cost:
    amount: Decimal
    amount_micros: int
    currency: str

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(Decimal(body["amount"]), body["amount_micros"], body["currency"])

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}"
