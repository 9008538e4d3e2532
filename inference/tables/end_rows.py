"""Adds the first and last rows of tables that have rules between their rows alone, or every other row striped."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from inference.layout.boxes import Box
from inference.tables.pieces import Piece, pieces_of
from inference.tables.rules import Rules
from inference.tables.words import Word, rows_of, usual_height

MIN_RULES = 4
LONG = 0.9
"""The share of the width of the table that an edge of a row has, at least."""
MAX_LOW = 2.5
"""The height of the last row, at most, as a multiple of the usual one."""
NEAR = 0.8
"""The distance of a label without values to the row above, at most, as a multiple of the usual height of rows."""
CROSSED = 0.2
"""The share of the rows that may have text where the last one has white."""


def with_last_row(area: Box, rules: Rules, words: Sequence[Word], *, labels: bool = True) -> Box:
    """Return the area between level rules, with the row below it if it stands in the same columns.

    Without `labels`, a single text in the first column is no such row.
    """
    levels = _levels(rules, area)
    inside = [word for word in words if area.holds(word.box)]
    if len(levels) < MIN_RULES or not inside:
        return area
    pitches, height = [below - above for above, below in pairwise(levels)], usual_height(inside)
    usual = median(pitches)
    reach = area.bottom + min(max(pitches), MAX_LOW * usual)
    below = [word for word in words if area.bottom < word.box.middle < reach]
    lines = {word.line for word in below}
    across = [word.box for word in words if word.line in lines]
    if any(box.left < area.left - height or box.right > area.right + height for box in across):
        return area
    known = [row for row in (pieces_of(row, height) for row in rows_of(inside)) if len(row) > 1]
    bottom = area.bottom
    for row in rows_of(below):
        pieces = pieces_of(row, height)
        box = Box.around(piece.box for piece in pieces)
        is_near = labels and (bottom > area.bottom or box.middle < area.bottom + NEAR * usual)
        if not (_fits(pieces, known) if len(pieces) > 1 else is_near and known and _is_label(box, known, height)):
            break
        bottom = box.bottom
    return replace(area, bottom=bottom)


def with_first_row(area: Box, rules: Rules, words: Sequence[Word]) -> Box:
    """Return the area between level rules of evenly high rows, with the row above it if it stands in its columns."""
    levels = _levels(rules, area)
    inside = [word for word in words if area.holds(word.box)]
    if len(levels) < MIN_RULES or not inside:
        return area
    height = usual_height(inside)
    near = area.top - median(below - above for above, below in pairwise(levels))
    above = [word for word in words if near < word.box.middle < area.top]
    known = [row for row in (pieces_of(row, height) for row in rows_of(inside)) if len(row) > 1]
    rows = rows_of(above)
    if len(rows) != 1 or len(known) < len(levels) - 1:
        return area
    pieces = pieces_of(rows[0], height)
    box = Box.around(piece.box for piece in pieces)
    is_inside = area.left - height <= box.left and box.right <= area.right + height
    is_row = len(pieces) >= median(map(len, known)) and is_inside and _fits(pieces, known)
    return replace(area, top=box.top) if is_row else area


def _levels(rules: Rules, area: Box) -> list[float]:
    return [rule.at for rule in rules.level if rule.covers(area.left, area.right) >= LONG]


def _fits(pieces: Sequence[Piece], rows: Sequence[Sequence[Piece]]) -> bool:
    """Return whether somewhere in the white between texts most other rows are white too."""
    return all(
        any(
            sum(any(piece.box.left < at < piece.box.right for piece in row) for row in rows) <= CROSSED * len(rows)
            for at in (one.box.right + 1, (one.box.right + other.box.left) / 2, other.box.left - 1)
        )
        for one, other in pairwise(pieces)
    )


def _is_label(box: Box, rows: Sequence[Sequence[Piece]], height: float) -> bool:
    """Return whether a text stands in the first column."""
    starts = abs(box.left - median(row[0].box.left for row in rows)) <= height
    return starts and box.right <= min(row[1].box.left for row in rows)
