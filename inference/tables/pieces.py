"""Pieces: words of a row that stand close together, and the white that runs down between them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from inference.layout.boxes import Box
from inference.tables.values import is_value
from inference.tables.words import Word

SPACE = 0.62
"""The white between two words of a piece, at most, as a multiple of a line's height."""

VALUES_SPACE = 0.12
"""The same between two numbers, which form no text."""
GROUP_SPACE = 0.42
"""The same between the groups of digits of one number."""
GROUPS = re.compile(r"\D*\d{1,3} \d{3}\b.*")
ONE_CROSSES = 4
"""The rows from which on one may cross the white, such as a headline over two columns."""
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
            space = _space(pieces[-1][-1], word)
            if word.box.left - last.right <= space * height and not is_cut:
                pieces[-1].append(word)
                continue
        pieces.append([word])
    return [piece_of(piece) for piece in pieces]


def _space(before: Word, word: Word) -> float:
    if word.line != before.line:
        return LINE_SPACE
    if before.text.endswith(",") or not (is_value(before.text) and is_value(word.text)):
        return SPACE
    return GROUP_SPACE if GROUPS.fullmatch(f"{before.text} {word.text}") else VALUES_SPACE


def whites(rows: Sequence[Sequence[Piece]], crossed: float) -> Iterator[tuple[float, float]]:
    """Yield where white runs down between pieces, from left to right. A share of the rows may cross it."""
    changes: dict[float, int] = {}
    for row in rows:
        for piece in row:
            changes[piece.box.left] = changes.get(piece.box.left, 0) + 1
            changes[piece.box.right] = changes.get(piece.box.right, 0) - 1
    least = max(crossed * len(rows), 1 if crossed and len(rows) >= ONE_CROSSES else 0)
    count, start = 0, None
    for here, after in pairwise(sorted(changes)):
        count += changes[here]
        if count <= least:
            start = here if start is None else start
        elif start is not None:
            yield start, here
            start = None
        del after
