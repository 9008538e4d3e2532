"""Carries corrections of lines over to the fields whose values stand in them. This module is pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CorrectedLine:
    page: int
    original: str
    text: str


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A value that is another one since its line was corrected."""

    field: Mapping[str, Any]
    value: str
    quote: str


def values_on(
    lines: Sequence[CorrectedLine], fields: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, ChangedValue]]:
    """Yield the values that changed with corrected lines, with the positions of their fields.

    A value whose place in its new line is not certain stays.
    """
    by_place = {(line.page, line.original): line.text for line in lines}
    for place, field in enumerate(fields if lines else ()):
        before = field["quote"]
        after = "\n".join(by_place.get((field["page"], line), line) for line in before.split("\n"))
        value = None if after == before else _value_in(after, before, field["value"])
        if value and value != field["value"]:
            yield place, ChangedValue(field, value, after)


def _value_in(after: str, before: str, value: str) -> str | None:
    """Return what stands in a line in the place where a value stood before, or None if that is not certain."""
    if value.strip() == before.strip():
        return after.strip()
    start = before.find(value)
    if start < 0:
        return None
    lead, rest = before[:start], before[start + len(value) :]
    if after.startswith(lead) and after.endswith(rest) and len(after) > len(lead) + len(rest):
        found = after[len(lead) : len(after) - len(rest)].strip()
        # At an end of the line, another word may as well be of the text beside the value.
        return found if (lead and rest) or len(found.split()) == len(value.split()) else None
    words, first, last = after.split(), len(lead.split()), len(rest.split())
    are_whole = not lead[-1:].strip() and not rest[:1].strip() and len(words) == len(before.split())
    return " ".join(words[first : len(words) - last]) if are_whole and "\n" not in before else None
