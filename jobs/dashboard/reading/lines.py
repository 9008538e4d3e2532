"""The lines of a page as a person reads them, and the blocks that they form. This module makes no queries.

An added model may return anything under the names read here. What makes no sense is left out.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.results.pictures.turns import Corners, corners_of, number
from jobs.search.excerpts import Part, marks_in
from jobs.search.queries import Query

SURE = 0.8
"""The confidence below which a line is to be checked. Lines that are read well are mostly above 0.95."""
MAX_LINES = 2_000
MAX_CHARACTERS = 200_000
"""The most characters of a page's text. A browser takes long to lay out more, and nobody reads it there."""
RECOGNIZED = ("ocr", "mixed")
"""The sources of text that was recognized, so that confidences mean something."""


def marked_lines(lines: Sequence[str], sought: Query) -> list[Sequence[Part]]:
    """Return each line in parts. A phrase that was searched for may be on two lines, and is marked on both."""
    marks = marks_in("\n".join(lines), sought) if sought.wanted else []
    found: list[Sequence[Part]] = []
    begin = 0
    for line in lines:
        end = begin + len(line)
        own = [(max(begin, start) - begin, min(end, stop) - begin) for start, stop in marks]
        found.append(_parts(line, [(start, stop) for start, stop in own if start < stop]))
        begin = end + 1
        marks = [mark for mark in marks if mark[1] > begin]
    return found


def _parts(line: str, marks: Sequence[tuple[int, int]]) -> list[Part]:
    parts, done = [], 0
    for start, stop in marks:
        parts += [Part(line[done:start], False), Part(line[start:stop], True)]
        done = stop
    parts.append(Part(line[done:], False))
    return [part for part in parts if part.text]


@dataclass(frozen=True)
class ReadLine:
    """A line of a result, with values of the right types."""

    index: int
    """The position in the result, counted from 0, which the API and the blocks of the result use."""
    text: str
    box: Corners | None
    confidence: float | None


def read_lines(result: Mapping[str, Any]) -> list[ReadLine]:
    given = result.get("lines")
    found = [line if isinstance(line, Mapping) else {} for line in given] if isinstance(given, list) else []
    return [
        ReadLine(index, _text(line.get("text")), corners_of(line.get("box")), _share(line.get("confidence")))
        for index, line in enumerate(found)
    ]


def is_recognized(result: Mapping[str, Any]) -> bool:
    return result.get("source", "ocr") in RECOGNIZED


def is_doubtful(line: ReadLine) -> bool:
    return line.confidence is not None and line.confidence < SURE


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _share(value: object) -> float | None:
    found = number(value)
    return found if found is not None and 0 <= found <= 1 else None


@dataclass(frozen=True)
class LineView:
    index: int
    text: str
    original: str
    """The text as the model gave it. It differs if a person corrected it."""
    percent: int | None
    """The model's confidence, rounded down. It is None if the model gives none."""
    unsure: bool
    """A person should check the line: the model is not sure of it, and nobody has corrected it."""
    box: Corners | None
    parts: Sequence[Part]
    """The text once more, in parts that separate the words of a search."""
    corrected: bool = False
    runs_on: bool = False
    """The line ends with a hyphen that joins it with the next."""
    ends_early: bool = False
    """The line was ended on purpose, as in an address, so the text after it is a line of its own."""
    in_table: bool = False
    """The cells of a table stand in its place."""

    @property
    def number(self) -> int:
        return self.index + 1

    @property
    def corners(self) -> str:
        """Return the corners for SVG. They are empty if the line has no position on a picture."""
        return svg_points(self.box)

    @property
    def found(self) -> bool:
        return any(part.marked for part in self.parts)

    @property
    def marks(self) -> str:
        """Return how its box on the picture is marked, as names for CSS."""
        marks = {"unsure": self.unsure, "found": self.found, "in-table": self.in_table}
        return " ".join(name for name, is_marked in marks.items() if is_marked)


def svg_points(box: Corners | None) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in box or ())


def line_views(
    lines: Sequence[ReadLine], corrected: Mapping[int, str], sought: Query, in_tables: Collection[int] = ()
) -> list[LineView]:
    """Return the lines that fit on the screen. `corrected` are the corrected texts by index."""
    shown = _that_fit(lines)
    texts = [corrected.get(line.index, line.text)[:MAX_CHARACTERS] for line in shown]
    parts = marked_lines(texts, sought)
    return [
        LineView(
            index=line.index,
            text=text,
            original=line.text,
            percent=None if line.confidence is None else int(100 * line.confidence),
            unsure=is_doubtful(line) and line.index not in corrected,
            box=line.box,
            parts=own,
            corrected=line.index in corrected,
            in_table=line.index in in_tables,
        )
        for line, text, own in zip(shown, texts, parts, strict=True)
    ]


def _that_fit(lines: Sequence[ReadLine]) -> list[ReadLine]:
    shown: list[ReadLine] = []
    characters = 0
    for line in lines[:MAX_LINES]:
        characters += len(line.text)
        if characters > MAX_CHARACTERS and shown:
            break
        shown.append(line)
    return shown
