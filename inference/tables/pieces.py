"""Pieces: words of a row that stand close together, and the white that runs down between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from inference.layout.boxes import Box
from inference.tables.words import Word

SPACE = 0.62
"""The white between two words of a piece, at most, as a multiple of a line's height."""

LINE_SPACE = 0.2
"""The same between words of two lines. Where a line ends there is white, and its box reaches into it."""


@dataclass(frozen=True, slots=True)
class Piece:
    words: tuple[Word, ...]
    box: Box

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


def piece_of(words: Sequence[Word]) -> Piece:
    return Piece(tuple(words), Box.around(word.box for word in words))


def pieces_of(row: Sequence[Word], height: float, cuts: Sequence[float] = ()) -> list[Piece]:
    """Return the pieces of a row, from left to right. A cut parts the words on both sides of it."""
    pieces: list[list[Word]] = []
    for word in row:
        if pieces:
            last = pieces[-1][-1].box
            is_cut = any(last.center < cut < word.box.center for cut in cuts)
            space = SPACE if word.line == pieces[-1][-1].line else LINE_SPACE
            if word.box.left - last.right <= space * height and not is_cut:
                pieces[-1].append(word)
                continue
        pieces.append([word])
    return [piece_of(piece) for piece in pieces]


def whites(rows: Sequence[Sequence[Piece]], crossed: float) -> Iterator[tuple[float, float]]:
    """Yield where white runs down between pieces, from left to right. A share of the rows may cross it."""
    changes: dict[float, int] = {}
    for row in rows:
        for piece in row:
            changes[piece.box.left] = changes.get(piece.box.left, 0) + 1
            changes[piece.box.right] = changes.get(piece.box.right, 0) - 1
    count, start = 0, None
    for here, after in pairwise(sorted(changes)):
        count += changes[here]
        if count <= crossed * len(rows):
            start = here if start is None else start
        elif start is not None:
            yield start, here
            start = None
        del after
