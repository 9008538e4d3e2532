"""Words of a page with their boxes, and the rows and texts that they form."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from inference.core.contracts import TextLine
from inference.layout.boxes import MARGIN_ABOVE, Box

SAME_ROW = 0.5
"""The share of the lower of two boxes that lies beside the other, at least, if they stand in one row."""

TALL = 1.5
"""The height of a line that runs up or down the page, as a multiple of its width."""


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    box: Box
    line: int = 0
    """The number of the line that it is a part of."""
    confidence: float = 1.0


def words_of(lines: Sequence[TextLine]) -> list[Word]:
    """Return the words of lines that have a place on the page."""
    return [word for index, line in enumerate(lines) if line.box is not None for word in _words_of(index, line)]


def _words_of(index: int, line: TextLine) -> Iterator[Word]:
    box = Box.of_corners(line.box or ())
    texts = line.text.split()
    confidence = 1.0 if line.confidence is None else line.confidence
    if box.height > TALL * box.width and len(line.text) > 1:
        yield Word(line.text, box, index, confidence)
        return
    if confidence < 1.0:
        margin = MARGIN_ABOVE * box.height
        box = Box(box.left, box.top + margin, box.right, box.bottom - margin)
    spans = line.words if len(line.words) == len(texts) else list(_even_spans(line.text))
    for text, (start, end) in zip(texts, spans, strict=True):
        sides = box.left + start * box.width, box.left + end * box.width
        yield Word(text, Box(sides[0], box.top, max(sides), box.bottom), index, confidence)


def _even_spans(text: str) -> Iterator[tuple[float, float]]:
    """Yield where the words of a text lie if all its characters are as wide."""
    start = 0
    for word in text.split():
        start = text.index(word, start)
        yield start / len(text), (start + len(word)) / len(text)
        start += len(word)


def usual_height(words: Sequence[Word]) -> float:
    """Return the height of most words."""
    return max(1e-6, median(word.box.height for word in words)) if words else 1.0


def rows_of(words: Iterable[Word]) -> list[list[Word]]:
    """Return the words by printed rows, from top to bottom, each from left to right."""
    rows: list[list[Word]] = []
    bounds: list[tuple[float, float]] = []
    for word in sorted(words, key=lambda each: each.box.middle):
        box = word.box
        if rows:
            top, bottom = bounds[-1]
            shared = min(bottom, box.bottom) - max(top, box.top)
            if shared >= SAME_ROW * min(bottom - top, box.height):
                rows[-1].append(word)
                count = len(rows[-1])
                bounds[-1] = top + (box.top - top) / count, bottom + (box.bottom - bottom) / count
                continue
        rows.append([word])
        bounds.append((box.top, box.bottom))
    return [sorted(row, key=lambda word: word.box.left) for row in rows]


def text_of(words: Iterable[Word]) -> str:
    """Return the text of words, row by row."""
    return " ".join(word.text for row in rows_of(words) for word in row)
