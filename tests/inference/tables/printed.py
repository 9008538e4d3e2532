"""Lines and rules of hand-made pages."""

from collections.abc import Iterator, Sequence

from inference.core.contracts import TextLine
from inference.layout.boxes import Box
from inference.tables.table import Table

HEIGHT, LETTER = 12.0, 6.0


def line(text: str, left: float, top: float) -> TextLine:
    right, bottom = left + LETTER * len(text), top + HEIGHT
    return TextLine(text, ((left, top), (right, top), (right, bottom), (left, bottom)), 1.0)


def rows(texts: Sequence[Sequence[str]], lefts: Sequence[float], top: float = 100, pitch: float = 20) -> list[TextLine]:
    """Return the lines of a table: its cells begin at the same places in each row."""
    return list(_cells(texts, lefts, top, pitch))


def _cells(texts: Sequence[Sequence[str]], lefts: Sequence[float], top: float, pitch: float) -> Iterator[TextLine]:
    for number, row in enumerate(texts):
        for text, left in zip(row, lefts, strict=True):
            if text:
                yield line(text, left, top + number * pitch)


def level(at: float, start: float, end: float) -> Box:
    return Box(start, at - 0.5, end, at + 0.5)


def upright(at: float, start: float, end: float) -> Box:
    return Box(at - 0.5, start, at + 0.5, end)


def confidence(table: Table) -> float:
    return sum(cell.confidence for cell in table.cells) / len(table.cells)
