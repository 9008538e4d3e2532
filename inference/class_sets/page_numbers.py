"""The page number that is printed on a page, such as "Page 2 of 3"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

EDGE_LINES = 14
"""The lines at the top and at the bottom of a page among which its number is: below it, there may be a footer."""
MAX_LINE = 160
MAX_PAGES = 9_999
_OF = r"(?:of|von|de|di|van|sur|/)"
_NAMED = re.compile(
    rf"\b(?:page|pages|seite|blatt|sheet|pagina|página|pag|pág|s|p)\b\.?:? ?(\d{{1,4}})(?: ?{_OF} ?(\d{{1,4}}))?(?!\w)"
)
_WHOLE = re.compile(rf"\W{{0,4}}(\d{{1,3}})(?: ?{_OF} ?(\d{{1,3}}))?\W{{0,4}}")


@dataclass(frozen=True, slots=True)
class PageNumber:
    number: int
    count: int | None
    """The number of pages of the document, if it is printed."""


def page_number_of(lines: Sequence[str]) -> PageNumber | None:
    """Return the number among the first and last lines. Named numbers count before bare ones.

    A bare number without the number of all pages must be at the very top or bottom.
    """
    edges = [line.strip().lower() for line in (*lines[:EDGE_LINES], *lines[EDGE_LINES:][-EDGE_LINES:])]
    short = [line for line in edges if len(line) <= MAX_LINE]
    named = [found for line in short if (match := _NAMED.search(line)) and (found := _number(match))]
    if named:
        return max(named, key=lambda found: found.count is not None)
    counted = [found for line in short if (found := _bare(line)) and found.count]
    last = [found for line in (*short[-2:], *short[:1]) if (found := _bare(line))]
    return next(iter([*counted, *last]), None)


def _bare(line: str) -> PageNumber | None:
    match = _WHOLE.fullmatch(line)
    return _number(match) if match else None


def _number(match: re.Match[str]) -> PageNumber | None:
    number, count = int(match[1]), int(match[2]) if match[2] else None
    if not 1 <= number <= (count or MAX_PAGES):
        return None
    return PageNumber(number, count)
