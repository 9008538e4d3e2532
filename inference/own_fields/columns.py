"""The values in a column of a table, one for each row."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from inference.fields.labels.vocabulary import spelled
from inference.fields.page_text import Piece
from inference.layout.boxes import Box
from inference.own_fields.candidates import Found, Wanted, best_value, is_key
from inference.own_fields.page import Part, Sheet, below_of
from inference.tables.table import Cell, Table

MAX_VALUES = 500
_WORD = re.compile(r"[^\W_]+")
MIN_SCORE = 0.5
MAX_STEP_LINES = 3.0
"""The height from one row to the next, at most, before any is known."""


def column_values(wanted: Wanted, sheets: Sequence[Sheet]) -> list[Found]:
    """Return the values of a field in the tables that have its column, also where they go on over pages."""
    labels = {_spelled(label) for label in wanted.labels}
    found: list[Found] = []
    going_on: tuple[int, int] | None = None
    for sheet in sheets:
        in_tables = False
        for table in sheet.tables:
            head = _head_in(table, labels)
            if head is None and table.continues and going_on and going_on[0] == table.columns:
                head = Head(table.header_rows - 1, going_on[1])
            if head is None:
                continue
            in_tables, going_on = True, (table.columns, head.column)
            found += _cells(wanted, sheet, table, head)
        if not in_tables:
            found += _below_head(wanted, sheet)
    return found[:MAX_VALUES]


@dataclass(frozen=True, slots=True)
class Head:
    row: int
    """The last row of the head of a column."""
    column: int
    box: Box | None = None


def _overlap(one: Box, other: Box) -> bool:
    return one.shares_width(other) > 0.1


def _spelled(text: str) -> str:
    return "".join(map(spelled, _WORD.findall(text)))


def _head_in(table: Table, labels: set[str]) -> Head | None:
    """Return the head of a column with one of these labels: in a cell of its own, in several, or in part of one."""
    heads: dict[int, str] = {}
    for cell in table.cells:
        text = _spelled(cell.text)
        if text in labels:
            return Head(max(cell.row + cell.row_span, table.header_rows) - 1, cell.column, cell.box)
        if cell.row < max(1, table.header_rows):
            for column in range(cell.column, min(cell.column + cell.column_span, table.columns)):
                heads[column] = heads.get(column, "") + text
    last = max(1, table.header_rows) - 1
    whole = next((column for column, head in heads.items() if head in labels), None)
    if whole is None:
        whole = next((column for column, head in heads.items() if any(map(head.endswith, labels))), None)
    return None if whole is None else Head(last, whole)


def _cells(wanted: Wanted, sheet: Sheet, table: Table, head: Head) -> list[Found]:
    filled = Counter(cell.row for cell in table.cells if cell.text.strip() and cell.row > head.row)
    usual = median(filled.values()) if filled else 0
    body = [cell for cell in table.cells if cell.row > head.row and cell.text.strip()]
    column = head.column
    if head.box and not any(cell.column == column for cell in body):
        # The table has the head and its values in two columns, one of which is otherwise empty.
        near = [cell for cell in body if cell.box and abs(cell.column - column) == 1 and _overlap(cell.box, head.box)]
        column = near[0].column if near else column
    cells = [cell for cell in body if cell.column == column]
    return [
        found for cell in cells if filled[cell.row] > usual / 2 and (found := _of_cell(wanted, sheet, cell)) is not None
    ]


def _of_cell(wanted: Wanted, sheet: Sheet, cell: Cell) -> Found | None:
    text = " ".join(cell.text.split())
    value = None if is_key(text) else best_value(wanted, text, wanted.style_on(sheet))
    if value is None or value.score < MIN_SCORE or any(map(str.isalpha, text[: value.start])):
        return None
    box = cell.box or Box(0, 0, 0, 0)
    piece = Piece(0, 0, text, box, cell.confidence, cell.box is not None)
    return Found(
        sheet.number, (Part(piece, value.start, value.end),), value.normalized, value.score, (text,), value.options
    )


def _below_head(wanted: Wanted, sheet: Sheet) -> list[Found]:
    """Return the values below a head where no table was found."""
    heads = (label for label in sheet.labels.get(wanted.role, ()) if label.is_alone)
    return next((_down_from(wanted, sheet, head.piece.box) for head in heads), [])


def _down_from(wanted: Wanted, sheet: Sheet, head: Box) -> list[Found]:
    """Return the values below a box, as long as one follows another at the usual distance."""
    found: list[Found] = []
    box, steps = head, [MAX_STEP_LINES * sheet.text.line_height]
    while len(found) < MAX_VALUES:
        below = next((piece for piece in below_of(sheet, box) if piece.box.shares_width(head) > 0), None)
        if below is None or is_key(below.text) or below.box.middle - box.middle > 1.5 * min(steps):
            break
        value = best_value(wanted, below.text, wanted.style_on(sheet))
        if value is None or value.score < MIN_SCORE:
            break
        steps.append(below.box.middle - box.middle)
        part = Part(below, value.start, value.end)
        quote = sheet.text.lines[below.line]
        found.append(Found(sheet.number, (part,), value.normalized, 0.9 * value.score, (quote,), value.options))
        box = below.box
    return found
