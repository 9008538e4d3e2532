"""Compares tables by the relations between neighboring cells, as the ICDAR 2013 table competition did."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

Relation = tuple[str, str, str]
"""The texts of two neighbors, and the direction from one to the other."""
Grid = Sequence[Sequence["GridCell | None"]]


@dataclass(frozen=True, eq=False)
class GridCell:
    """A cell by its text. It stands in each place of the grid that it spans."""

    text: str


@dataclass(frozen=True)
class Score:
    right: int
    found: int
    wanted: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, self.found + self.wanted)

    def __add__(self, other: "Score") -> "Score":
        return Score(self.right + other.right, self.found + other.found, self.wanted + other.wanted)


def bare(text: str) -> str:
    """Return the letters and digits of a text in small letters, which is all that is compared."""
    return "".join(char for char in text.casefold() if char.isalnum())


def grid_of(cells: Iterable[tuple[int, int, int, int, str]]) -> Grid:
    """Return the grid of cells with their first row, first column, last row, last column and text."""
    cells = [cell for cell in cells if bare(cell[4])]
    rows = 1 + max((cell[2] for cell in cells), default=-1)
    columns = 1 + max((cell[3] for cell in cells), default=-1)
    grid: list[list[GridCell | None]] = [[None] * columns for _ in range(rows)]
    for top, left, bottom, right, text in cells:
        cell = GridCell(bare(text))
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                grid[row][column] = cell
    return grid


def relations(grid: Grid) -> Counter[Relation]:
    """Return each cell with its nearest neighbors to the right and below."""
    pairs = {(one, other, "right") for row in grid for one, other in _neighbors(row)}
    pairs |= {(one, other, "below") for column in zip(*grid, strict=True) for one, other in _neighbors(column)}
    return Counter((one.text, other.text, direction) for one, other, direction in pairs)


def _neighbors(places: Sequence[GridCell | None]) -> Iterator[tuple[GridCell, GridCell]]:
    inked = [cell for cell in places if cell is not None]
    return ((one, other) for one, other in pairwise(inked) if one is not other)


def compare(found: Iterable[Grid], wanted: Iterable[Grid]) -> Score:
    """Compare the tables of a whole document."""
    ours = sum((relations(grid) for grid in found), Counter[Relation]())
    truth = sum((relations(grid) for grid in wanted), Counter[Relation]())
    return Score((ours & truth).total(), ours.total(), truth.total())
