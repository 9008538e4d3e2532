"""A generated invoice or receipt: its pages, and the truth of its fields."""

from dataclasses import dataclass, field
from decimal import Decimal

from inference.layout.boxes import Box
from inference.tables.table import Table
from tests.benchmarks.documents.truth import GeneratedPage, Quad, around


@dataclass(frozen=True)
class Place:
    page: int
    words: tuple[int, ...]
    """The numbers of the words of the page that are the value."""


@dataclass
class TruthField:
    value: str
    """The value as it is printed."""
    normalized: str
    places: list[Place] = field(default_factory=list)


@dataclass(frozen=True)
class TruthItem:
    description: str
    quantity: int
    price: Decimal
    amount: Decimal
    rate: Decimal


@dataclass
class BillingDocument:
    template: int
    language: str
    kind: str
    pages: list[GeneratedPage]
    tables: list[list[Table]]
    """The tables of each page as a perfect reader finds them."""
    fields: dict[str, TruthField]
    items: list[TruthItem]
    rates: dict[str, tuple[Decimal, Decimal]]
    """The net amount and the tax by rate."""

    def boxes(self, name: str) -> list[tuple[int, Box]]:
        """Return the page and box of each place of a field, where the pages are now."""
        return [(place.page, Box.of_corners(self._around(place))) for place in self.fields[name].places]

    def _around(self, place: Place) -> Quad:
        words = self.pages[place.page - 1].words
        return around([words[number].box for number in place.words])
