"""Joins a page's lines into paragraphs by the gaps between them. This module is pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from inference.layout.boxes import Box
from jobs.results.exports.page_lines import Line

_GAP = 0.7
"""The share of a line's usual height. A larger gap begins a paragraph."""
_OVERLAP = 0.5
"""The share of the smaller height of two pieces. Pieces that overlap by more than that are in one row."""
_FULL = 0.8
"""The share of the width of the page's text. A row that ends before it was ended on purpose."""
_WIDE_GAP = 1.0
"""The share of a row's height. Pieces that are further apart are cells of a table."""
_NARROW = 15.0
"""A multiple of the lines' usual height. A narrower block is an address or a sum, and no running prose."""
_NARROW_CHARACTERS = 30
"""The same limit in characters, for lines without positions."""


@dataclass(frozen=True)
class _Row:
    text: str
    left: float
    top: float
    right: float
    bottom: float
    cells: bool = False
    """The row has pieces that are far apart."""

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def box(self) -> Box:
        return Box(self.left, self.top, self.right, self.bottom)

    def shares_row_with(self, other: "_Row") -> bool:
        shared = min(self.bottom, other.bottom) - max(self.top, other.top)
        return shared > _OVERLAP * min(self.height, other.height)

    def joined(self, other: "_Row") -> "_Row":
        return _Row(
            f"{self.text} {other.text}",
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
            self.cells or other.left - self.right > _WIDE_GAP * self.height,
        )


@dataclass(frozen=True)
class Row:
    text: str
    ended_early: bool
    """The row was ended on purpose, as in a table or an address, so the text after it is a line of its own."""
    box: Box | None = field(default=None, compare=False)


def paragraphs(lines: Sequence[Line], text: str) -> list[list[Row]]:
    """Return the paragraphs. They follow from the boxes if every line has one, else from the text's empty lines."""
    if not lines or any(line.box is None for line in lines):
        return _of_text(text)
    rows = _rows(lines)
    usual_height = median(row.height for row in rows)
    left, right = min(row.left for row in rows), max(row.right for row in rows)
    full_right = left + _FULL * (right - left)
    return [
        [Row(row.text, narrow or row.cells or row.right < full_right, row.box) for row in block]
        for block in _blocks(rows, usual_height)
        for narrow in [_narrow(block, usual_height)]
    ]


def _blocks(rows: Sequence[_Row], usual_height: float) -> list[list[_Row]]:
    blocks: list[list[_Row]] = []
    for row in rows:
        if not blocks or _apart(blocks[-1][-1], row, usual_height):
            blocks.append([])
        blocks[-1].append(row)
    return blocks


def _narrow(block: Sequence[_Row], usual_height: float) -> bool:
    return max(row.right for row in block) - min(row.left for row in block) < _NARROW * usual_height


def _of_text(text: str) -> list[list[Row]]:
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            blocks[-1].append(line.strip())
        elif blocks[-1]:
            blocks.append([])
    return [[Row(line, max(map(len, block)) < _NARROW_CHARACTERS) for line in block] for block in blocks if block]


def _rows(lines: Sequence[Line]) -> list[_Row]:
    rows: list[_Row] = []
    for line in lines:
        box = Box.of_corners(line.box or ())
        row = _Row(line.text, box.left, box.top, box.right, box.bottom)
        if rows and rows[-1].shares_row_with(row):
            rows[-1] = rows[-1].joined(row)
        else:
            rows.append(row)
    return rows


def _apart(above: _Row, below: _Row, usual_height: float) -> bool:
    """Return whether a paragraph begins between two rows, also where the text goes on in the next column."""
    return below.top - above.bottom > _GAP * usual_height or below.bottom < above.top
