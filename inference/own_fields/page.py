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
from inference.fields.dates import Order
from inference.fields.document import date_order
from inference.fields.labels.finding import Label
from inference.fields.labels.vocabulary import Vocabulary, field_labels, spelled
from inference.fields.page_text import MAX_LINES, PageText, Piece, page_text
from inference.fields.values import Labeled
from inference.layout.boxes import Box
from inference.own_fields.values import Style
from inference.tables.table import Table

MAX_TABLES, MAX_MARKS = 40, 300
MAX_HEAD = 80
"""The signs of a text that are compared."""
MIN_LETTERS = 3
"""The letters that a text must have to be known again."""
_WORD = re.compile(r"[^\W_]+")
_KEY = re.compile(r"\s*([^:：]{2,60}?)\s*[:：]\s*(?=\S|$)")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a piece of a page that belongs to a value, or that was pointed at."""

    piece: Piece
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.piece.text[self.start : self.end]

    @property
    def box(self) -> Box:
        return self.piece.part(self.start, self.end)


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
    style: Style
    """The way in which the document writes dates and numbers."""

    @property
    def text(self) -> PageText:
        return self.labeled.text

    @cached_property
    def labels(self) -> dict[str, list[Label]]:
        """Return the labels on the page by their roles."""
        found: dict[str, list[Label]] = {}
        for labels in self.labeled.labels.values():
            for label in labels:
                for role in self.labeled.roles(label):
                    found.setdefault(role, []).append(label)
        return found

    @cached_property
    def heads(self) -> list[tuple[Piece, str]]:
        """Return the pieces with the letters of what is printed there on every such page."""
        return [(piece, letters_of(head_of(piece.text))) for piece in self.text.pieces]

    @cached_property
    def fingerprints(self) -> dict[str, list[Piece]]:
        """Return the pieces by the fingerprints of these letters."""
        found: dict[str, list[Piece]] = {}
        for piece, letters in self.heads:
            if print_ := _fingerprint(letters, piece.text):
                found.setdefault(print_, []).append(piece)
        return found


def head_of(text: str) -> str:
    """Return the text before a colon, which is the same on every such page, or all of the text."""
    match = _KEY.match(text)
    return match[1] if match else text


def fingerprint(text: str) -> str:
    """Return four digits for the letters of a text. It does not tell the text, and is empty for too few letters."""
    return _fingerprint(letters_of(text), text)


def _fingerprint(letters: str, text: str) -> str:
    if len(letters) < MIN_LETTERS or len(letters) < sum(map(str.isdigit, text)):
        return ""
    return f"{crc32(letters.encode()) & 0xFFFF:04x}"


def letters_of(text: str) -> str:
    """Return the letters of a text as they are compared: without case and accents, those that look the same alike."""
    return confused("".join(filter(str.isalpha, plain(text[:MAX_HEAD]))))


def below_of(sheet: Sheet, box: Box, reach: float = 3.2) -> list[Piece]:
    """Return the pieces below a box by their rows, the nearest row first, each from left to right."""
    rows: list[list[Piece]] = []
    for piece in sorted(sheet.text.below(box, reach), key=lambda one: one.box.middle):
        if rows and rows[-1][0].box.shares_height(piece.box) >= 0.5:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [piece for row in rows for piece in sorted(row, key=lambda one: one.box.left)]


def is_known_label(text: str) -> bool:
    """Return whether a text is one of the labels of invoices, and nothing else."""
    return field_labels().roles.get("".join(map(spelled, _WORD.findall(text[:MAX_HEAD])))) is not None


def ends_with_colon(text: str) -> bool:
    return text.rstrip().endswith((":", "："))


def sheets_of(results: Sequence[Mapping[str, Json] | None], first: int, vocabulary: Vocabulary | None) -> list[Sheet]:
    """Return the pages of results of `parse`, numbered from a first. What is not as expected in them is left out."""
    read = [(number, result) for number, result in enumerate(results, first) if isinstance(result, Mapping)]
    order = _order([result for _, result in read])
    return [_sheet(result, number, vocabulary, order) for number, result in read]


def _sheet(result: Mapping[str, Json], number: int, vocabulary: Vocabulary | None, order: Order | None) -> Sheet:
    text = page_text(_lines(result), _size(result.get("width")), _size(result.get("height")))
    style = Style(order, decimal_sign(piece.text for piece in text.pieces))
    return Sheet(number, Labeled.of(text, vocabulary), tuple(_tables(result)), tuple(_marks(result)), style)


def _order(results: Sequence[Mapping[str, Json]]) -> Order | None:
    """Return the order of day and month in a document, by what its pages say about its fields."""
    pages = [result["field_candidates"] for result in results if isinstance(result.get("field_candidates"), Mapping)]
    try:
        return date_order(pages)
    except (AttributeError, LookupError, TypeError):
        return None


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
