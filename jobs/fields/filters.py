"""Filters of documents by their fields, as an address has them: `field.total.min=100`. This module is pure."""

import re
from collections.abc import Mapping
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

    def __init__(self, fault: "Fault") -> None:
        super().__init__(fault.message)
        self.fault = fault


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
            raise _refused(
                f"{parameter[:60]!r} names no field. Use up to {LONGEST_NAME} small letters, digits, - and _, "
                "such as field.total."
            )
        if way not in WAYS:
            raise _refused(
                f"Unknown comparison {way[:20]!r} in {parameter[:60]!r}. "
                f"Use {PREFIX}{name}, or with {', '.join('.' + each for each in WAYS if each)}."
            )
        found = cls(name, way, value.strip())
        if reason := found._reason():
            message = f"{parameter[:60]}={found.value[:40]!r} {reason}"
            raise NotAFieldFilter(Fault(message, found, reason))
        return found

    def _reason(self) -> str:
        """Return what the value must be, or an empty text if it is that."""
        if not 1 <= len(self.value) <= LONGEST_VALUE or "\0" in self.value:
            return f"must have 1 to {LONGEST_VALUE} characters."
        if self.way in (FROM, TO) and self.day is None:
            return "must be a day, such as 2026-01-31."
        if self.way in (MIN, MAX) and self.number is None:
            return "must be a number, such as 100 or 99.50."
        return ""

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


@dataclass(frozen=True, slots=True)
class Fault:
    """A parameter that is no filter, and why."""

    message: str
    """What is wrong, in the words of an address."""
    wanted: FieldFilter | None = None
    """The filter, if its field and its comparison are known and only its value is wrong."""
    reason: str = ""
    """What the value must be."""


def _refused(message: str) -> NotAFieldFilter:
    return NotAFieldFilter(Fault(message))


def field_filters(given: Mapping[str, str]) -> list[FieldFilter]:
    """Return the filters among the parameters of an address. Raises NotAFieldFilter for one that makes no sense."""
    found, faults = sorted_filters(given)
    if faults:
        raise NotAFieldFilter(faults[0])
    return found


def sorted_filters(given: Mapping[str, str]) -> tuple[list[FieldFilter], list[Fault]]:
    """Return the filters among the parameters of an address that make sense, and what is wrong with the others."""
    found: list[FieldFilter] = []
    faults: list[Fault] = []
    for name, value in given.items():
        if name.startswith(PREFIX):
            try:
                found.append(FieldFilter.parse(name, value))
            except NotAFieldFilter as refusal:
                faults.append(refusal.fault)
    if len(found) > MAX_FILTERS:
        faults.append(Fault(f"There are {len(found)} filters by fields. Use at most {MAX_FILTERS}."))
    return found[:MAX_FILTERS], faults
