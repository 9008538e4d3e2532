"""The text of a page in pieces: lines, split where wide white, dots or bars part a label from its value."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from inference.core.contracts import TextLine
from inference.layout.boxes import Box, PageLine, usual_height

MAX_LINES = 600
"""The lines of a page that are looked at. Printed pages have fewer."""
MAX_LINE_CHARACTERS = 400
MAX_NEIGHBORS = 12
MAX_AROUND = 100
"""The pieces before and after a piece, from top to bottom, among which its neighbors are. It bounds the time."""
MIN_SHARED_HEIGHT = 0.4
"""The share of height of pieces of one row, at least. A label in the middle beside a value of two lines shares 0.48."""
PLAIN_HEIGHT, PLAIN_STEP, PLAIN_CHARACTER = 16.0, 20.0, 10.0
"""The sizes that lines without boxes are taken to have, as in a plain text."""
LEADERS = r"\s*(?:\.\s?){4,}\s*|\s*[.\s]*…[.…\s]*|\s+\.[.\s]*\s|\s*_{3,}\s*"
"""Dots or lines that lead from a label to its value, also as recognition reads them."""
_PARTING = re.compile(rf"\s{{3,}}|\t|{LEADERS}")
_NARROW, _WIDE = frozenset("iljtfrI.,:;'’|!()[]-/ "), frozenset("mwMWÄÖÜQGO@%€")


@dataclass(frozen=True, slots=True)
class Piece:
    line: int
    """The number of the line that it is a part of."""
    start: int
    """The position in the line where it starts."""
    text: str
    box: Box
    confidence: float
    is_placed: bool = True
    """It is set if the line has a box of its own."""

    def part(self, start: int, end: int) -> Box:
        """Return the box of a part of the text, by the usual widths of letters."""
        if start <= 0 and end >= len(self.text):
            return self.box
        widths = [0.5 if sign in _NARROW else 1.4 if sign in _WIDE else 1.0 for sign in self.text]
        unit = self.box.width / (sum(widths) or 1.0)
        left = self.box.left + unit * sum(widths[:start])
        return Box(left, self.box.top, left + unit * sum(widths[start:end]), self.box.bottom)


@dataclass(frozen=True)
class PageText:
    lines: tuple[str, ...]
    pieces: tuple[Piece, ...]
    """The pieces by their middles, from top to bottom."""
    width: float
    height: float
    line_height: float
    _middles: list[float] = field(default_factory=list)

    @cached_property
    def tallest(self) -> float:
        return max((piece.box.height for piece in self.pieces), default=0.0)

    def beside(self, box: Box) -> list[Piece]:
        """Return the pieces to the right of a box in its row, the nearest first."""
        found = [
            piece
            for piece in self._between(box, box.top, box.bottom)
            if piece.box.left >= box.right - 0.3 * self.line_height
            and piece.box.shares_height(box) >= MIN_SHARED_HEIGHT
            and piece.box.height <= 3 * max(box.height, self.line_height)
        ]
        return sorted(found, key=lambda piece: piece.box.left)[:MAX_NEIGHBORS]

    def row(self, box: Box) -> list[Piece]:
        """Return all pieces in the row of a box, from left to right."""
        return self.beside(Box(float("-inf"), box.top, float("-inf"), box.bottom))

    def below(self, box: Box, reach: float = 3.2) -> list[Piece]:
        """Return the pieces below a box that start within some line heights, the nearest first."""
        found = []
        for piece in self._between(box, box.middle, box.bottom + (reach + 1) * self.line_height):
            gap = piece.box.top - box.bottom
            near = -0.4 * box.height <= gap <= reach * self.line_height
            if near and piece.box.middle > box.middle + 0.3 * box.height and self._in_column(box, piece.box):
                found.append(piece)
        return sorted(found, key=lambda piece: (round(piece.box.top / self.line_height), piece.box.left))[
            :MAX_NEIGHBORS
        ]

    def _between(self, box: Box, top: float, bottom: float) -> Sequence[Piece]:
        """Return the pieces that may reach between two heights, those around a box if there are very many."""
        around = bisect_left(self._middles, box.middle)
        start = max(bisect_left(self._middles, top - self.tallest / 2), around - MAX_AROUND)
        end = min(bisect_right(self._middles, bottom + self.tallest / 2), around + MAX_AROUND)
        return self.pieces[start:end]

    def _in_column(self, upper: Box, lower: Box) -> bool:
        """Return whether two boxes begin, end or are centered at the same place, or nearly."""
        slack = 1.2 * self.line_height
        return (
            abs(upper.left - lower.left) <= slack
            or abs(upper.right - lower.right) <= slack
            or (abs(upper.center - lower.center) <= slack and lower.shares_width(upper) > 0.5)
        )


def page_text(lines: Sequence[TextLine], width: float | None, height: float | None) -> PageText:
    pieces = [piece for number, line in enumerate(lines[:MAX_LINES]) for piece in _pieces(number, line)]
    pieces.sort(key=lambda piece: (piece.box.middle, piece.box.left))
    usual = usual_height([PageLine(piece.line, piece.text, piece.box) for piece in pieces])
    right = max((piece.box.right for piece in pieces), default=1.0)
    bottom = max((piece.box.bottom for piece in pieces), default=1.0)
    return PageText(
        tuple(line.text for line in lines[:MAX_LINES]),
        tuple(pieces),
        max(width or right, 1.0),
        max(height or bottom, 1.0),
        usual,
        [piece.box.middle for piece in pieces],
    )


def _pieces(number: int, line: TextLine) -> Iterator[Piece]:
    text = line.text[:MAX_LINE_CHARACTERS]
    if not text.strip():
        return
    if line.box is None:
        top = number * PLAIN_STEP
        box = Box(0.0, top, len(text) * PLAIN_CHARACTER, top + PLAIN_HEIGHT)
    else:
        box = Box.of_corners(line.box)
    whole = Piece(number, 0, text, box, 1.0 if line.confidence is None else line.confidence, line.box is not None)
    partings = list(_PARTING.finditer(text))
    if not partings and text == text.strip():
        yield whole
        return
    starts, ends = [0], []
    for match in partings:
        ends.append(match.start())
        starts.append(match.end())
    for start, end in zip(starts, [*ends, len(text)], strict=True):
        written = text[start:end]
        if written.strip():
            first = start + len(written) - len(written.lstrip())
            written = written.strip()
            place = whole.part(first, first + len(written))
            yield Piece(number, first, written, place, whole.confidence, whole.is_placed)
