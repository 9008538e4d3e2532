"""Rows: lines and pieces of lines that stand beside each other, by the overlap of their boxes and their own height."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from inference.layout.boxes import Box, PageLine
from inference.layout.direction import runs_from_right

MIN_SHARED_HEIGHT = 0.5
"""The share of the lower box that two boxes in a row have beside each other."""

MAX_PIECES = 40
"""The most lines in a row. It bounds the time that strange pages take."""


@dataclass(frozen=True, slots=True)
class Row:
    lines: tuple[PageLine, ...]
    """The lines in the order in which they are read."""
    box: Box

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @property
    def widest_gap(self) -> float:
        """Return the widest white between two neighbors."""
        by_left = sorted((line.box for line in self.lines), key=lambda box: box.left)
        return max((after.left - before.right for before, after in pairwise(by_left)), default=0.0)


def row_of(lines: Sequence[PageLine]) -> Row:
    if len(lines) == 1:
        return Row(tuple(lines), lines[0].box)
    from_right = runs_from_right(line.text for line in lines)
    ordered = sorted(lines, key=lambda line: line.box.left, reverse=from_right)
    return Row(tuple(ordered), Box.around(line.box for line in lines))


def gather_rows(lines: Sequence[PageLine]) -> list[Row]:
    """Return the rows from top to bottom."""
    rows: list[list[PageLine]] = []
    for line in sorted(lines, key=lambda each: each.box.middle):
        if rows and _belongs(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [row_of(row) for row in rows]


def _belongs(row: Sequence[PageLine], line: PageLine) -> bool:
    """Return whether the line stands beside those of the row. It must overlap none that it would stand above."""
    return len(row) < MAX_PIECES and all(
        line.box.shares_height(other.box) >= MIN_SHARED_HEIGHT and line.box.shares_width(other.box) < MIN_SHARED_HEIGHT
        for other in row
    )
