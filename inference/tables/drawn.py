"""Builds a table from a drawn grid. Places of the grid that hold several cells are divided by their words."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from inference.layout.boxes import Box
from inference.tables.apart import apart
from inference.tables.grid import cells_of, column_sides, header_rows, join_rows
from inference.tables.lattice import Lattice, Place
from inference.tables.pieces import pieces_of
from inference.tables.rules import Rules
from inference.tables.table import Cell, Table
from inference.tables.text_rows import text_rows
from inference.tables.values import is_value
from inference.tables.words import Word, rows_of, text_of

MIN_OPEN = 0.2
"""The share of words in places that hold several cells from which on places are divided."""


def build_drawn(lattice: Lattice, words: Sequence[Word], rules: Rules, height: float) -> Table:
    inside = [[word for word in words if is_within(word, lattice.box_of(place))] for place in lattice.places]
    filled = list(zip(lattice.places, inside, strict=True))
    divided = [(place, found) for place, found in filled if _holds_several(place, found, height)]
    if sum(len(found) for _, found in divided) < MIN_OPEN * sum(map(len, inside)):
        divided = []
    if not divided:
        cells = [_cell(lattice, place, found) for place, found in filled]
        return Table(len(lattice.down) - 1, len(lattice.across) - 1, tuple(cells), lattice.box)
    return _divided(lattice, filled, [place for place, _ in divided], rules, height)


def is_within(word: Word, box: Box) -> bool:
    return box.left <= word.box.center < box.right and box.top <= word.box.middle < box.bottom


def _words(filled: Sequence[tuple[Place, Sequence[Word]]]) -> list[Word]:
    return [word for _, words in filled for word in words]


def _is_parted(words: Sequence[Word], sides: Sequence[float], height: float) -> bool:
    """Return whether the words of a place stand apart at the sides of columns."""
    for row in rows_of(words):
        for before, after in pairwise(pieces_of(row, height)):
            if any(before.box.right <= side <= after.box.left for side in sides):
                return True
    return False


def _holds_several(place: Place, words: Sequence[Word], height: float) -> bool:
    """Return whether a place holds more than one cell, as its words show."""
    if len(words) < 2:
        return False
    rows = rows_of(words)
    several = sum(len(pieces_of(row, height)) > 1 for row in rows)
    if several >= max(1, len(rows) / 2) and (place.right - place.left > 1 or several > 2):
        return True
    values = sum(len(row) == 1 and is_value(row[0].text) for row in rows)
    return len(rows) > 2 and values >= 0.8 * len(rows)


def _cell(lattice: Lattice, place: Place, words: Sequence[Word]) -> Cell:
    return Cell(
        place.top,
        place.left,
        text_of(words),
        lattice.box_of(place),
        place.bottom - place.top,
        place.right - place.left,
        confidence=min((word.confidence for word in words), default=1.0),
    )


def _divided(
    lattice: Lattice,
    filled: Sequence[tuple[Place, Sequence[Word]]],
    divided: Sequence[Place],
    rules: Rules,
    height: float,
) -> Table:
    """Return the grid with its rows and columns divided where the words of some places say so."""
    rows_divided = {row for place in divided for row in range(place.top, place.bottom)}
    inner = list(lattice.across[1:-1])
    loose = [each for each in filled if set(range(each[0].top, each[0].bottom)) <= rows_divided]
    found = column_sides(rows_of(_words(loose)), lattice.box, Rules((), rules.upright), height)
    new = [at for at in found if all(abs(at - side) > height for side in inner)]
    loose += [each for each in filled if each not in loose and _is_parted(each[1], new, height)]
    kept = [each for each in filled if each not in loose]
    separators = sorted([*inner, *new])
    rows = text_rows(rows_of(_words(loose)), separators, lattice.down[1:-1], rules, height)
    grid = join_rows(rows, 0 if kept else header_rows(rows), len(separators) + 1)
    first: list[int] = []
    number = 0
    for band in range(len(lattice.down) - 1):
        first.append(number)
        number += max(1, sum(row.band == band for row in grid))
    first.append(number)
    cells: list[Cell] = []
    taken: dict[int, int] = {}
    for row in grid:
        cells += cells_of(row, first[row.band] + taken.get(row.band, 0))
        taken[row.band] = taken.get(row.band, 0) + 1
    sides = [0, *(1 + separators.index(at) for at in inner), len(separators) + 1]
    for place, words in kept:
        cell = _cell(lattice, place, words)
        top, left = first[place.top], sides[place.left]
        spans = first[place.bottom] - top, sides[place.right] - left
        cells.append(replace(cell, row=top, column=left, row_span=spans[0], column_span=spans[1]))
    return Table(number, len(separators) + 1, apart(cells), lattice.box)
