"""Printed rows of a table, with their words by columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from inference.layout.boxes import Box
from inference.tables.pieces import Piece, piece_of, pieces_of
from inference.tables.rules import Rules
from inference.tables.values import is_value
from inference.tables.words import Word


@dataclass(slots=True)
class TextRow:
    """A printed row: for each column that has text the piece, spans with their last column."""

    box: Box
    pieces: dict[int, tuple[int, Piece]]
    band: int = 0
    """The number of the band between two long rules that the row stands in."""

    @property
    def spans(self) -> bool:
        return any(end > start for start, (end, _) in self.pieces.items())


def text_rows(
    printed: Sequence[Sequence[Word]], separators: Sequence[float], levels: Sequence[float], rules: Rules, height: float
) -> list[TextRow]:
    """Return the printed rows with their words by columns. `levels` are the rules that part rows."""
    rows = [_text_row(row, separators, rules, height) for row in printed]
    for row in rows:
        row.band = sum(at < row.box.middle for at in levels)
    return rows


def _text_row(row: Sequence[Word], separators: Sequence[float], rules: Rules, height: float) -> TextRow:
    box = Box.around(word.box for word in row)
    posts = [post.at for post in rules.upright if post.start < box.middle < post.end]
    cuts = [at for at in separators if any(abs(at - post) < height / 2 for post in posts)]
    pieces: dict[int, tuple[int, Piece]] = {}
    for piece in pieces_of(row, height, cuts):
        for part in _parted(piece, separators, height):
            start, end = (sum(at < side for at in separators) for side in (part.box.left + 1, part.box.right - 1))
            if start != end:
                start, end = _settled(part, separators, start, end)
            if start in pieces:
                known_end, known = pieces[start]
                pieces[start] = max(end, known_end), piece_of([*known.words, *part.words])
            else:
                pieces[start] = end, part
    for start, after in pairwise(sorted(pieces)):
        end, piece = pieces[start]
        pieces[start] = min(end, after - 1), piece
    return TextRow(box, pieces)


def _settled(piece: Piece, separators: Sequence[float], start: int, end: int) -> tuple[int, int]:
    """Return the columns of a piece. One that reaches only a little into the next column does not belong to it."""
    least = 0.25 * piece.box.height
    while start < end and separators[start] - piece.box.left < least:
        start += 1
    while start < end and piece.box.right - separators[end - 1] < least:
        end -= 1
    return start, end


def _parted(piece: Piece, separators: Sequence[float], height: float) -> Iterator[Piece]:
    """Part a piece where its words of different columns stand close together, as numbers do."""
    words: list[Word] = []
    for word in piece.words:
        if words:
            between = [at for at in separators if words[-1].box.right - 1 <= at <= word.box.left + 1]
            wide = word.box.left - words[-1].box.right >= 0.4 * height
            if between and (wide or is_value(word.text) or is_value(words[-1].text)):
                yield piece_of(words)
                words = []
        words.append(word)
    yield piece_of(words)
