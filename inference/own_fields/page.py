"""A page as own fields are sought on it: its pieces of text with their fingerprints, its tables and its tick boxes."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

from inference.classes.canonical import confused, plain
from inference.core.contracts import Json, TextLine
from inference.fields.amounts import decimal_sign
from inference.fields.dates import Order, find_dates, order_votes
from inference.fields.labels.vocabulary import Vocabulary
from inference.fields.page_text import MAX_LINES, PageText, Piece, page_text
from inference.fields.values import Labeled
from inference.layout.boxes import Box
from inference.own_fields.values import Style
from inference.tables.table import Table

MAX_TABLES, MAX_MARKS = 40, 300
MIN_LETTERS = 3
"""The letters that a text must have to be known again."""
_KEY = re.compile(r"\s*([^:：]{2,60}?)\s*[:：]\s*(?=\S|$)")


@dataclass(frozen=True, slots=True)
class Mark:
    label: str
    checked: bool
    box: Box


@dataclass(frozen=True)
class Sheet:
    number: int
    labeled: Labeled
    tables: tuple[Table, ...]
    marks: tuple[Mark, ...]

    @property
    def text(self) -> PageText:
        return self.labeled.text

    @cached_property
    def fingerprints(self) -> dict[str, list[Piece]]:
        """Return the pieces by the fingerprints of what is printed there on every such page."""
        found: dict[str, list[Piece]] = {}
        for piece in self.text.pieces:
            if print_ := fingerprint(head_of(piece.text)):
                found.setdefault(print_, []).append(piece)
        return found

    @cached_property
    def style(self) -> Style:
        texts = [piece.text for piece in self.text.pieces]
        votes = order_votes(date for text in texts for date in find_dates(text))
        order: Order | None = None
        if votes["dmy"] != votes["mdy"]:
            order = "dmy" if votes["dmy"] > votes["mdy"] else "mdy"
        return Style(order, decimal_sign(texts))


def head_of(text: str) -> str:
    """Return the text before a colon, which is the same on every such page, or all of the text."""
    match = _KEY.match(text)
    return match[1] if match else text


def fingerprint(text: str) -> str:
    """Return four digits for the letters of a text. It does not tell the text, and is empty for too few letters."""
    letters = confused("".join(filter(str.isalpha, plain(text[:80]))))
    if len(letters) < MIN_LETTERS or len(letters) < sum(map(str.isdigit, text)):
        return ""
    return f"{crc32(letters.encode()) & 0xFFFF:04x}"


def ends_with_colon(text: str) -> bool:
    return text.rstrip().endswith((":", "："))


def sheet_of(result: Mapping[str, Json], number: int, vocabulary: Vocabulary | None) -> Sheet:
    """Return the page of a result of `parse`. What is not as expected in it is left out."""
    text = page_text(_lines(result), _size(result.get("width")), _size(result.get("height")))
    return Sheet(number, Labeled.of(text, vocabulary), tuple(_tables(result)), tuple(_marks(result)))


def _size(size: Json) -> float | None:
    return float(size) if isinstance(size, int | float) and 0 < size < math.inf else None


def _lines(result: Mapping[str, Json]) -> list[TextLine]:
    lines = _listed(result.get("lines"))[:MAX_LINES]
    return [
        TextLine(line["text"], _corners(line.get("box")), _confidence(line.get("confidence")))
        if isinstance(line, Mapping) and isinstance(line.get("text"), str)
        else TextLine("", None, None)
        for line in lines
    ]


def _listed(found: Json) -> Sequence[Json]:
    return found if isinstance(found, list | tuple) else ()


def _confidence(found: Json) -> float | None:
    return min(1.0, max(0.0, float(found))) if isinstance(found, int | float) and math.isfinite(found) else None


def _corners(box: Json) -> Json:
    """Return four corners, or None if they are not as they should be."""
    try:
        corners = [(float(x), float(y)) for x, y in box]
    except (TypeError, ValueError):
        return None
    return corners if len(corners) == 4 and all(abs(side) < 1e7 for corner in corners for side in corner) else None


def _tables(result: Mapping[str, Json]) -> list[Table]:
    tables = []
    for table in _listed(result.get("tables"))[:MAX_TABLES]:
        try:
            tables.append(Table.of_json(table))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            continue
    return tables


def _marks(result: Mapping[str, Json]) -> list[Mark]:
    marks = []
    for mark in _listed(result.get("marks"))[:MAX_MARKS]:
        if isinstance(mark, Mapping) and (corners := _corners(mark.get("box"))):
            marks.append(Mark(str(mark.get("label") or ""), mark.get("checked") is True, Box.of_corners(corners)))
    return marks
