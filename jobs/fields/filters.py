"""Filters of documents by their fields, as an address has them: `field.total.min=100`. This module is pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Self

from jobs.fields.names import LONGEST_NAME, is_name

PREFIX = "field."
EQUALS, CONTAINS, FROM, TO, MIN, MAX = "", "contains", "from", "to", "min", "max"
WAYS = (EQUALS, CONTAINS, FROM, TO, MIN, MAX)
"""The ways to compare: with a text, a part of a text, days, or numbers. Bounds are included."""
MAX_FILTERS = 10
LONGEST_VALUE = 200
_NUMBER = re.compile(r"-?[0-9]{1,13}(\.[0-9]{1,10})?")


class NotAFieldFilter(ValueError):
    """A parameter is no filter by a field."""


@dataclass(frozen=True, slots=True)
class FieldFilter:
    name: str
    way: str
    value: str

    @classmethod
    def parse(cls, parameter: str, value: str) -> Self:
        """Return the filter of a parameter such as `field.total.min`. Raises NotAFieldFilter with the reason."""
        name, _, way = parameter.removeprefix(PREFIX).partition(".")
        if not is_name(name):
            raise NotAFieldFilter(
                f"{parameter[:60]!r} names no field. Use up to {LONGEST_NAME} small letters, digits, - and _, "
                "such as field.total."
            )
        if way not in WAYS:
            raise NotAFieldFilter(
                f"Unknown comparison {way[:20]!r} in {parameter[:60]!r}. "
                f"Use {PREFIX}{name}, or with {', '.join('.' + each for each in WAYS if each)}."
            )
        found = cls(name, way, value.strip())
        found._require_value(parameter)
        return found

    def _require_value(self, parameter: str) -> None:
        shown = f"{parameter[:60]}={self.value[:40]!r}"
        if not 1 <= len(self.value) <= LONGEST_VALUE or "\0" in self.value:
            raise NotAFieldFilter(f"{shown} must have 1 to {LONGEST_VALUE} characters.")
        if self.way in (FROM, TO) and self.day is None:
            raise NotAFieldFilter(f"{shown} must be a day, such as 2026-01-31.")
        if self.way in (MIN, MAX) and self.number is None:
            raise NotAFieldFilter(f"{shown} must be a number, such as 100 or 99.50.")

    @property
    def parameter(self) -> str:
        return f"{PREFIX}{self.name}.{self.way}" if self.way else f"{PREFIX}{self.name}"

    @property
    def day(self) -> date | None:
        try:
            return date.fromisoformat(self.value) if len(self.value) == 10 else None
        except ValueError:
            return None

    @property
    def number(self) -> Decimal | None:
        try:
            return Decimal(self.value) if _NUMBER.fullmatch(self.value) else None
        except InvalidOperation:
            return None


def field_filters(given: Mapping[str, str]) -> list[FieldFilter]:
    """Return the filters among the parameters of an address. Raises NotAFieldFilter for one that makes no sense."""
    found = [FieldFilter.parse(name, value) for name, value in given.items() if name.startswith(PREFIX)]
    if len(found) > MAX_FILTERS:
        raise NotAFieldFilter(f"There are {len(found)} filters by fields. Use at most {MAX_FILTERS}.")
    return found


def sensible_filters(given: Mapping[str, str]) -> tuple[FieldFilter, ...]:
    """Return the filters that make sense. Others are left out."""
    return tuple(_sensible(given.items()))[:MAX_FILTERS]


def _sensible(given: Iterable[tuple[str, str]]) -> Iterable[FieldFilter]:
    for name, value in given:
        if name.startswith(PREFIX):
            try:
                yield FieldFilter.parse(name, value)
            except NotAFieldFilter:
                continue
