"""Settles which columns the texts of header rows stand over: one each, or several as a group."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from inference.tables.pieces import Piece, piece_of
from inference.tables.text_rows import TextRow
from inference.tables.words import Word

MIN_GAP = 0.3
"""The white between the heads of two columns, at least, as a multiple of a line's height."""
MAX_OFFSET = 1.5
"""The distance of this white from the side of the columns, at most."""
MIN_LOW = 0.8
"""The share of the columns behind the first that have a head of their own below those of groups, at least."""
BARE = 1.0
"""What a column without a group costs, beside the distance of groups from the middle of their columns."""


def with_heads(rows: Sequence[TextRow], header: int, separators: Sequence[float], height: float) -> list[TextRow]:
    """Return the printed rows with the heads among the first of them by the columns that they stand over."""
    if not 0 < header < len(rows):
        return list(rows)
    lowest = _divided(rows[header - 1], separators, height)
    settled = [*rows[: header - 1], lowest, *rows[header:]]
    count = len(separators) + 1
    if sum(start > 0 for start in lowest.pieces) < MIN_LOW * (count - 1):
        return settled
    sides = _sides(settled[header - 1 :], count)
    if sides is not None:
        settled[: header - 1] = [_grouped(row, sides, height) for row in settled[: header - 1]]
    return settled


def _divided(row: TextRow, separators: Sequence[float], height: float) -> TextRow:
    """Return the lowest row of heads with a head for each column: texts over several are parted where they can be."""
    pieces: dict[int, tuple[int, Piece]] = {}
    for start, (end, piece) in row.pieces.items():
        cuts = list(_cuts(piece.words, separators[start:end], height))
        parts = [piece.words[here:there] for here, there in pairwise([0, *cuts, len(piece.words)])]
        if len(set(cuts)) < end - start or not all(parts):
            pieces[start] = end, piece
            continue
        for column, part in enumerate(parts, start):
            pieces[column] = column, piece_of(part)
    return replace(row, pieces=pieces)


def _cuts(words: Sequence[Word], separators: Sequence[float], height: float) -> Iterator[int]:
    """Yield for each side of columns the word behind the widest white near it."""
    whites = [
        (after.box.left - before.box.right, before.box.right, after.box.left) for before, after in pairwise(words)
    ]
    for at in separators:
        near = [
            (white, number)
            for number, (white, left, right) in enumerate(whites, 1)
            if white >= MIN_GAP * height and left - MAX_OFFSET * height <= at <= right + MAX_OFFSET * height
        ]
        if near:
            yield max(near)[1]


def _sides(rows: Sequence[TextRow], count: int) -> list[tuple[float, float]] | None:
    """Return the left and right of the texts of each column, or None if one has none of its own."""
    sides: list[tuple[float, float]] = []
    for column in range(count):
        boxes = [row.pieces[column][1].box for row in rows if row.pieces.get(column, (-1,))[0] == column]
        if not boxes:
            return None
        sides.append((min(box.left for box in boxes), max(box.right for box in boxes)))
    return sides


def _grouped(row: TextRow, sides: Sequence[tuple[float, float]], height: float) -> TextRow:
    """Return a row above the lowest heads with each text over the group of columns whose middle it stands at."""
    firsts = {start: each for start, each in row.pieces.items() if start == 0 and each[0] == 0}
    heads = [piece for start, (_, piece) in sorted(row.pieces.items()) if start not in firsts]
    count = len(sides)
    if not heads or len(heads) >= count - 1:
        return row

    @cache
    def best(head: int, column: int) -> tuple[float, tuple[tuple[int, int], ...]]:
        """Return the least cost of the heads from one on over the columns from one on, and their groups."""
        if head == len(heads):
            return BARE * height * (count - column), ()
        choices = []
        for first in range(column, count):
            bare = BARE * height * (first - column)
            for last in range(first, count):
                if not sides[first][0] <= heads[head].box.center <= sides[last][1]:
                    continue
                offset = abs((sides[first][0] + sides[last][1]) / 2 - heads[head].box.center)
                cost, groups = best(head + 1, last + 1)
                choices.append((bare + offset + cost, ((first, last), *groups)))
        return min(choices, default=(float("inf"), ()))

    _, groups = best(0, 1)
    if len(groups) < len(heads):
        return row
    grouped = {first: (last, piece) for (first, last), piece in zip(groups, heads, strict=True)}
    return replace(row, pieces={**firsts, **grouped})
