"""Ranges of a job's pages, and short texts for page numbers. This module is pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_WRITTEN = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_MAX_STRETCHES = 20


class NotAPageRange(ValueError):
    """The error for a text that is not a page range. The message is meant for the caller."""


@dataclass(frozen=True)
class PageRange:
    """A range of pages that includes both ends."""

    first: int
    last: int

    @property
    def count(self) -> int:
        return self.last - self.first + 1


def page_range(written: str | None, total: int) -> PageRange:
    """Return the range that a text such as `12-80` or `7` names. Return all pages if there is no text."""
    if written is None:
        return PageRange(1, total)
    match = _WRITTEN.fullmatch(written)
    if match is None:
        raise NotAPageRange(f"Invalid value pages={written[:20]!r}. Use a page or a range, such as 7 or 1-200.")
    first = int(match[1])
    last = int(match[2] or first)
    if not 1 <= first <= last <= total:
        raise NotAPageRange(f"pages={written} is out of range. This job has pages 1 to {total}.")
    return PageRange(first, last)


def in_words(numbers: Sequence[int]) -> str:
    """Return ascending numbers as a reader lists them: 3, 5-7 and 9."""
    stretches = [_stretch_words(stretch) for stretch in _stretches(numbers)]
    if len(stretches) > _MAX_STRETCHES:
        return ", ".join(stretches[:_MAX_STRETCHES]) + " and more"
    return " and ".join(filter(None, (", ".join(stretches[:-1]), stretches[-1])))


def _stretches(numbers: Sequence[int]) -> list[PageRange]:
    found: list[PageRange] = []
    for number in numbers:
        if found and found[-1].last + 1 == number:
            found[-1] = PageRange(found[-1].first, number)
        else:
            found.append(PageRange(number, number))
    return found


def _stretch_words(stretch: PageRange) -> str:
    return str(stretch.first) if stretch.count == 1 else f"{stretch.first}-{stretch.last}"
