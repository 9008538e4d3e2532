"""Finds the headings of sections in the body of a table: rows with a single text, which spans all columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from inference.layout.boxes import Box
from inference.tables.pieces import Piece
from inference.tables.values import is_value, is_year

MIN_COLUMNS = 3
MIN_FULL = 0.6
"""The share of the places of the other rows that have text, at least."""
MAX_SHARE = 0.5
"""The headings for each row of several texts, at most."""
MIDDLE = 0.06
"""The distance of a heading from the middle of the table, at most, as a share of its width."""


@dataclass(slots=True)
class GridRow:
    """A row of a table: the pieces of each cell, and the cell's last column."""

    cells: dict[int, tuple[int, list[Piece]]] = field(default_factory=dict)
    band: int = 0


def spread_sections(grid: Sequence[GridRow], box: Box, columns: int) -> None:
    """Let the headings of sections span all columns."""
    full = [row for row in grid if len(row.cells) > 1]
    if columns < MIN_COLUMNS or len(full) < 2 or fmean(len(row.cells) for row in full) < MIN_FULL * columns:
        return
    body = list(grid)[next(number for number, row in enumerate(grid) if len(row.cells) > 1) + 1 :]
    alone = [row for row in body[:-1] if len(row.cells) == 1]
    if len(alone) > MAX_SHARE * len(full):
        return
    begins = bool(body) and len(body[0].cells) == 1
    for row in alone:
        ((start, (end, pieces)),) = row.cells.items()
        if any(is_value(piece.text) and not is_year(piece.text) for piece in pieces):
            continue
        around = Box.around(piece.box for piece in pieces)
        is_centered = start > 0 and abs(around.center - box.center) <= MIDDLE * box.width
        if is_centered or end > start or (start == 0 and begins):
            row.cells = {0: (columns - 1, pieces)}
