"""The label of a value that was pointed at: before it in its line, left of it, above it, or the head of its column."""

import re
from dataclasses import dataclass

from inference.fields.amounts import find_amounts
from inference.fields.dates import find_dates
from inference.fields.labels.vocabulary import column_heads, spelled
from inference.fields.page_text import Piece
from inference.layout.boxes import Box
from inference.own_fields.page import Sheet, ends_with_colon
from inference.tables.table import Cell, Table

MAX_LABEL = 80
MAX_WORDS = 5
"""The words before a value in running text that are taken as its label."""
ABOVE_LINES = 2.6
MIN_SCORE = 0.0
_BREAK = re.compile(r"[:：;,.!?]\s+(?=\S)|\s[|·•]\s|\d\s")
_TRIMMED = " :：.-–—#|·•*"


@dataclass(frozen=True, slots=True)
class FoundLabel:
    text: str
    place: str
    box: Box


def label_of(sheet: Sheet, piece: Piece, start: int, value: Box) -> FoundLabel | None:
    """Return the label of a value that begins at a place in a piece, or None if there is none near it."""
    inline = _inline(piece, start)
    if inline is not None:
        return inline
    column = _column(sheet, value)
    if column is not None:
        return column
    first = Box(value.left, piece.box.top, value.right, piece.box.bottom)
    left, above = _left(sheet, piece, first), _above(sheet, piece)
    scores = {
        "right": _score_left(sheet, left, above, first) if left else -10.0,
        "below": _score_above(sheet, above, left, first) if above else -10.0,
    }
    place = max(scores, key=lambda one: scores[one])
    label = left if place == "right" else above
    if label is None or scores[place] < MIN_SCORE:
        return None
    return FoundLabel(_trimmed(label.text), place, label.box)


def _trimmed(text: str) -> str:
    return text.strip(_TRIMMED)[:MAX_LABEL].strip()


def _inline(piece: Piece, start: int) -> FoundLabel | None:
    before = piece.text[:start]
    begins = 0
    for match in _BREAK.finditer(before.rstrip(_TRIMMED)):
        begins = match.end()
    words = before[begins:].split()
    if len(words) > MAX_WORDS and not ends_with_colon(before):
        begins = before.rindex(words[-MAX_WORDS]) if before.count(words[-MAX_WORDS]) else begins
    text = _trimmed(before[begins:])
    if sum(map(str.isalpha, text)) < 2:
        return None
    first = before.index(text, begins) if text in before[begins:] else begins
    return FoundLabel(text, "right", piece.part(first, first + len(text)))


def _column(sheet: Sheet, value: Box) -> FoundLabel | None:
    """Return the head of the column of a table, or the head of its row where each row is a thing of its own."""
    for table in sheet.tables:
        cell = next((cell for cell in table.cells if cell.box and cell.box.holds(value)), None)
        if cell is None or cell.row < table.header_rows or not table.header_rows:
            continue
        heads = [each for each in table.cells if each.row < table.header_rows and _covers(each, cell.column)]
        text = _trimmed(" ".join(each.text for each in heads))
        body = table.rows - table.header_rows
        if not text or not heads[0].box:
            continue
        row_head = _row_head(table, cell)
        if row_head is not None and row_head.box is not None:
            return FoundLabel(_trimmed(row_head.text), "right", row_head.box)
        return FoundLabel(text, "column" if body > 1 else "below", heads[0].box)
    return None


def _covers(cell: Cell, column: int) -> bool:
    return cell.column <= column < cell.column + cell.column_span


def _row_head(table: Table, cell: Cell) -> Cell | None:
    """Return the first cell of a row if the rows of the table are named, and are not items of a list."""
    firsts = [each for each in table.cells if each.column == 0 and each.row >= table.header_rows and each.text.strip()]
    heads = [each.text for each in table.cells if each.row < table.header_rows]
    known = sum("".join(spelled(word) for word in head.split()) in column_heads().roles for head in heads)
    named = [each for each in firsts if not any(map(str.isdigit, each.text)) and len(each.text.split()) <= MAX_WORDS]
    distinct = len({each.text for each in firsts}) == len(firsts)
    if cell.column == 0 or known >= 2 or len(named) < len(firsts) or not distinct or len(firsts) < 2:
        return None
    return next((each for each in firsts if each.row == cell.row), None)


def _left(sheet: Sheet, piece: Piece, value: Box) -> Piece | None:
    row = [
        each
        for each in sheet.text.row(value)
        if each is not piece and each.box.right <= value.left + 0.5 * sheet.text.line_height
    ]
    return row[-1] if row else None


def _above(sheet: Sheet, piece: Piece) -> Piece | None:
    near = [
        each
        for each in sheet.text.pieces
        if each is not piece
        and each.box.middle < piece.box.middle
        and piece.box.top - each.box.bottom <= ABOVE_LINES * sheet.text.line_height
        and any(found is piece for found in sheet.text.below(each.box, ABOVE_LINES))
    ]
    return max(near, key=lambda each: each.box.bottom, default=None)


def _score(sheet: Sheet, piece: Piece) -> float:
    """Return how much a piece looks like a label."""
    text = piece.text
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    score = 1.0
    score += 3.0 * ends_with_colon(text)
    score += 2.0 * sheet.labeled.is_label(piece)
    score -= 3.0 * (digits >= letters or letters < 2)
    score -= 1.0 * (digits > 0 and not ends_with_colon(text))
    score -= 1.0 * (len(text.split()) > 6)
    score -= 2.0 * bool(find_dates(text) or any(each.has_cents for each in find_amounts(text)))
    return score


def _score_left(sheet: Sheet, left: Piece, above: Piece | None, value: Box) -> float:
    score = _score(sheet, left)
    score -= 1.0 * (value.left - left.box.right > 0.35 * sheet.text.width)
    over = _above(sheet, left)
    if above is not None and over is not None and over.box.shares_height(above.box) >= 0.5:
        score -= 2.0 * (_score(sheet, over) >= 1.0 and _score(sheet, above) >= 1.0 and not ends_with_colon(left.text))
    return score


def _score_above(sheet: Sheet, above: Piece, left: Piece | None, value: Box) -> float:
    score = _score(sheet, above) - 0.1
    before = _left(sheet, above, above.box)
    score -= 3.0 * (before is not None and ends_with_colon(before.text))
    score -= 1.5 * (":" in above.text[:-1] and not ends_with_colon(above.text))
    score += 1.0 * (above.box.height < 0.85 * value.height)
    score -= 1.0 * (left is None and value.top - above.box.bottom > 1.6 * sheet.text.line_height)
    return score
