"""Sums of a month's usage. Different currencies are never added up, and neither are live and test usage. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

Key = TypeVar("Key", str, date)


@dataclass(frozen=True)
class UsageLine:
    day: date
    model: str
    meter: str
    currency: str
    livemode: bool
    quantity: int
    amount_micros: int
    records: int
    saved_micros: int = 0
    records_cached: int = 0


@dataclass
class Total:
    """Quantities by meter, amounts by currency, and the share of cache hits."""

    quantities: Counter[str] = field(default_factory=Counter)
    amounts_micros: Counter[str] = field(default_factory=Counter)
    saved_micros: Counter[str] = field(default_factory=Counter)
    records: int = 0
    records_cached: int = 0

    def add(self, line: UsageLine) -> None:
        self.quantities[line.meter] += line.quantity
        self.amounts_micros[line.currency] += line.amount_micros
        self.saved_micros[line.currency] += line.saved_micros
        self.records += line.records
        self.records_cached += line.records_cached

    def merge(self, other: "Total") -> None:
        self.quantities.update(other.quantities)
        self.amounts_micros.update(other.amounts_micros)
        self.saved_micros.update(other.saved_micros)
        self.records += other.records
        self.records_cached += other.records_cached

    def __bool__(self) -> bool:
        return bool(self.quantities)


@dataclass(frozen=True)
class Summary:
    live: Total
    test: Total
    by_model: dict[str, Total]
    by_day: dict[date, Total]
    currencies: list[str]
    """The currencies of the charged amounts, the largest amount first."""


def summarized(lines: Sequence[UsageLine], *, livemode: bool = True) -> Summary:
    """Summarize live usage, or test usage as if it were live if `livemode` is false."""
    live = [line for line in lines if line.livemode is livemode]
    total = _total(live)
    return Summary(
        live=total,
        test=_total(line for line in lines if line.livemode is not livemode),
        by_model=_grouped(live, lambda line: line.model),
        by_day=_grouped(live, lambda line: line.day),
        currencies=sorted(total.amounts_micros, key=lambda currency: (-total.amounts_micros[currency], currency)),
    )


def _total(lines: Iterable[UsageLine]) -> Total:
    total = Total()
    for line in lines:
        total.add(line)
    return total


def _grouped(lines: Sequence[UsageLine], by: Callable[[UsageLine], Key]) -> dict[Key, Total]:
    groups: dict[Key, Total] = defaultdict(Total)
    for line in lines:
        groups[by(line)].add(line)
    return dict(groups)
