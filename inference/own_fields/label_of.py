"""The label of a value that was pointed at: before it in its line, left of it, above it, or the head of its column."""

import re
from collections import Counter
from dataclasses import dataclass
from statistics import median

from inference.fields.amounts import find_amounts
from inference.fields.dates import find_dates
from inference.fields.page_text import Piece
from inference.layout.boxes import Box
from inference.own_fields.heads import is_list, is_name, rows_around
from inference.own_fields.page import Sheet, ends_with_colon, head_of
from inference.tables.table import Cell, Table

MAX_LABEL = 80
MAX_WORDS = 5
"""The words before a value in running text that are taken as its label."""
ABOVE_LINES = 2.6
FAR_ABOVE_LINES = 2.2
"""The height from a label to the value below it from which on it is hardly its label."""
MIN_SCORE = 0.0
MIN_FILLED = 2
MIN_ROWS, MAX_ROWS = 3, 9.0
"""The rows of labels and values, at least, and the heights of lines within which they are looked for."""
_BREAK = re.compile(r"[:：;,.!?]\s+(?=\S)|\s[|·•]\s|\d\s")
_CODE = re.compile(r"[A-Za-z]{1,3}(?:[.\-/ ]?\d{1,2}){0,3}[.:]?")
"""A code that stands for a label, such as `P.2`."""
_NUMBERED = re.compile(r"^\s*(?:[A-Z]?\d{1,3}|[A-Z])(?:[.)]\d{0,2}){0,3}\s+(?=[^\W\d_])")
"""The number or code that stands before a label in a form."""
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
    first = Box(value.left, piece.box.top, value.right, piece.box.bottom)
    left = _left(sheet, piece, first)
    above = _above(sheet, piece)
    if above is not None and not (left and ends_with_colon(left.text)) and _share_a_cell(sheet, above, first):
        return FoundLabel(_trimmed(above.text), "below", above.box)
    column = None if left and ends_with_colon(left.text) else _column(sheet, first)
    if column is not None:
        return column
    rows = None if left and ends_with_colon(left.text) else rows_around(sheet, first)
    if rows is not None:
        head = rows.name or rows.head
        return FoundLabel(_trimmed(head.text), "right" if rows.name else "column", head.box)
    scores = {
        "right": _score_left(sheet, left, above, first) if left else -10.0,
        "below": _score_above(sheet, above, left, first) if above else -10.0,
    }
    place = max(scores, key=lambda one: scores[one])
    label = left if place == "right" else above
    if label is None or scores[place] < MIN_SCORE:
        return None
    return FoundLabel(_trimmed(head_of(label.text)), place, label.box)


def _share_a_cell(sheet: Sheet, above: Piece, value: Box) -> bool:
    """Return whether a text is a label above a value in the same cell of a table, as in a ruled form."""
    cells = (cell.box for table in sheet.tables for cell in table.cells if cell.box is not None)
    return _score(sheet, above) >= 1.0 and any(box.holds(above.box) and box.holds(value) for box in cells)


def _trimmed(text: str) -> str:
    return text.strip(_TRIMMED)[:MAX_LABEL].strip()


def _inline(piece: Piece, start: int) -> FoundLabel | None:
    before = piece.text[:start]
    if before.rstrip().endswith(",") and head_of(before) != before:
        before = head_of(before)  # A place before a date, such as in `Place and date: Leeds, 3 May 2024`.
    begins = 0
    for match in _BREAK.finditer(before.rstrip(_TRIMMED)):
        begins = match.end()
    words = before[begins:].split()
    if len(words) > MAX_WORDS and not ends_with_colon(before):
        begins = before.rindex(words[-MAX_WORDS]) if before.count(words[-MAX_WORDS]) else begins
    text = _trimmed(before[begins:])
    if sum(map(str.isalpha, text)) < 2 and not _CODE.fullmatch(before.strip(_TRIMMED)):
        return None
    first = before.index(text, begins) if text in before[begins:] else begins
    return FoundLabel(text, "right", piece.part(first, first + len(text)))


def _column(sheet: Sheet, value: Box) -> FoundLabel | None:
    """Return the head of the column of a table, or the head of its row where each row is a thing of its own."""
    for table in sheet.tables:
        cell = next((cell for cell in table.cells if cell.box and cell.box.holds(value)), None)
        if cell is None or cell.row < table.header_rows or not table.header_rows or _is_sum(table, cell):
            continue
        row_head = _row_head(table, cell)
        if row_head is not None and row_head.box is not None:
            return FoundLabel(_trimmed(row_head.text), "right", row_head.box)
        heads = [each for each in table.cells if each.row < table.header_rows and _covers(each, cell.column)]
        boxes = [head.box for head in heads if head.box and head.text.strip()]
        if not boxes:
            continue
        box = Box.around(boxes)
        text = _head_over(sheet, box, value) or " ".join(head.text for head in heads)
        if sum(map(str.isalpha, text)) > sum(map(str.isdigit, text)):
            return FoundLabel(_trimmed(text), "column" if table.rows - table.header_rows > 1 else "below", box)
    return None


def _is_sum(table: Table, cell: Cell) -> bool:
    """Return whether a cell stands alone in its row, or with a label, as a sum below the rows of a list."""
    filled = Counter(each.row for each in table.cells if each.text.strip() and each.row >= table.header_rows)
    return filled[cell.row] <= MIN_FILLED and median(filled.values()) > filled[cell.row]


def _covers(cell: Cell, column: int) -> bool:
    return cell.column <= column < cell.column + cell.column_span


def _head_over(sheet: Sheet, head: Box, value: Box) -> str:
    """Return what stands right above a value in a head that two columns share."""
    pieces = [piece for piece in sheet.text.pieces if head.holds(piece.box)]
    over = [piece for piece in pieces if piece.box.shares_width(value) > 0.2]
    return " ".join(piece.text for piece in over)


def _row_head(table: Table, cell: Cell) -> Cell | None:
    """Return the cell that names the row, if each row has another name, and the rows are not items of a list."""
    heads = [each.text for each in table.cells if each.row < table.header_rows]
    if is_list(heads):
        return None
    for column in range(cell.column - 1, -1, -1):
        names = [each for each in table.cells if each.column == column and each.text.strip()]
        body = [each for each in names if each.row >= table.header_rows]
        if (
            len(body) >= 2
            and all(is_name(each.text) for each in body)
            and len({each.text for each in body}) == len(body)
        ):
            return next((each for each in body if each.row == cell.row), None)
    return None


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
    if _CODE.fullmatch(piece.text):
        return 1.0
    has_colon = ends_with_colon(piece.text)
    text = _NUMBERED.sub("", head_of(piece.text))
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    score = 1.0
    score += 3.0 * has_colon
    score += 2.0 * sheet.labeled.is_label(piece)
    score -= 3.0 * (digits >= letters or letters < 2)
    score -= 1.0 * (digits > 0 and not has_colon)
    score -= 1.0 * (len(text.split()) > 6)
    score -= 2.0 * bool(find_dates(text) or any(each.has_cents for each in find_amounts(text)))
    return score


def _score_left(sheet: Sheet, left: Piece, above: Piece | None, value: Box) -> float:
    score = _score(sheet, left)
    gap = (value.left - left.box.right) / sheet.text.width
    score -= 1.0 * (gap > 0.35) + 1.0 * (gap > 0.12 and _CODE.fullmatch(left.text) is not None)
    over = _above(sheet, left)
    if above is not None and over is not None and over.box.shares_height(above.box) >= 0.5:
        are_heads = min(_score(sheet, over), _score(sheet, above)) >= 1.0 and not _are_rows(sheet, left, value)
        score -= 2.0 * (are_heads and not ends_with_colon(left.text))
    return score


def _are_rows(sheet: Sheet, left: Piece, value: Box) -> bool:
    """Return whether there are rows of a label and a value, and not one row of labels over one of values."""
    line = sheet.text.line_height
    rows = 0
    for piece in sheet.text.pieces:
        if (
            abs(piece.box.left - left.box.left) <= 0.5 * line
            and abs(piece.box.middle - value.middle) <= MAX_ROWS * line
        ):
            beside = sheet.text.beside(piece.box)[:1]
            rows += bool(beside) and abs(beside[0].box.left - value.left) <= 0.5 * line
    return rows >= MIN_ROWS


def _score_above(sheet: Sheet, above: Piece, left: Piece | None, value: Box) -> float:
    score = _score(sheet, above) - 0.1
    before = _left(sheet, above, above.box)
    if before is not None:
        score -= 3.0 * ends_with_colon(before.text)
        score -= 2.0 * (left is not None and _are_rows(sheet, left, value))
    following = sheet.text.beside(above.box)[:1]
    if following and not ends_with_colon(above.text):
        score -= 1.5 * (_score(sheet, following[0]) < 1.0)
    score -= 1.5 * (":" in above.text[:-1] and not ends_with_colon(above.text))
    score += 2.0 * (above.box.height < 0.85 * value.height)
    score -= 1.5 * (value.middle - above.box.middle > FAR_ABOVE_LINES * sheet.text.line_height)
    return score
