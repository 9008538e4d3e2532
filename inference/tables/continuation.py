"""Finds whether a table goes on from a table of the page before, by its columns and its header. This module is pure."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from inference.tables.table import Table
from inference.tables.values import is_value

MAX_OFFSET = 0.03
"""The share of the page's width that a column may lie apart from the same column of the page before, at most."""
MIN_KNOWN = 2
"""The columns whose positions are known on both pages, at least."""
MIN_LIKENESS = 0.85
"""The likeness of two headers that are the same, at least. In scans, single letters are read differently."""
MAX_HEADER_CHARACTERS = 400
"""The most characters of a header that are compared."""


def continues(before: Table, before_width: float, after: Table, after_width: float) -> bool:
    """Return whether `after`, which begins a page, goes on from `before`, which ends the page before.

    The widths are those of the pages. A table without positions never goes on.
    """
    if before.columns != after.columns or not _columns_match(before, before_width, after, after_width):
        return False
    return not _has_own_header(after) or repeated_header_rows(before, after) > 0


def repeated_header_rows(before: Table, after: Table) -> int:
    """Return the number of rows at the top of `after` that repeat the header of `before`."""
    count = before.header_rows
    if not count or after.rows <= count:
        return 0
    one, other = _header_text(before, count), _header_text(after, count)
    return count if one and SequenceMatcher(None, one, other, autojunk=False).ratio() >= MIN_LIKENESS else 0


def _has_own_header(table: Table) -> bool:
    """Return whether the header is known by the values below it. In a table of words it may be its first row alone."""
    return table.header_rows > 0 and any(
        cell.row >= table.header_rows and cell.column > 0 and is_value(cell.text) for cell in table.cells
    )


def _header_text(table: Table, rows: int) -> str:
    letters = ("".join(filter(str.isalnum, cell.text.casefold())) for cell in table.cells if cell.row < rows)
    return " ".join(letters)[:MAX_HEADER_CHARACTERS]


def _columns_match(before: Table, before_width: float, after: Table, after_width: float) -> bool:
    if before_width <= 0 or after_width <= 0:
        return False
    known, others = _places(before, before_width), _places(after, after_width)
    both = known.keys() & others.keys()
    return len(both) >= MIN_KNOWN and all(_match(known[column], others[column]) for column in both)


def _match(place: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether one edge or the center is the same, as the column may be aligned by any of them."""
    return any(abs(one - another) <= MAX_OFFSET for one, another in zip(place, other, strict=True))


def _places(table: Table, width: float) -> dict[int, tuple[float, float, float]]:
    """Return the left edge, the center and the right edge of columns, as shares of the page's width."""
    edges: dict[int, tuple[float, float]] = {}
    for cell in table.cells:
        if cell.box is not None and cell.column_span == 1:
            left, right = edges.get(cell.column, (cell.box.left, cell.box.right))
            edges[cell.column] = min(left, cell.box.left), max(right, cell.box.right)
    return {
        column: (left / width, (left + right) / 2 / width, right / width) for column, (left, right) in edges.items()
    }
