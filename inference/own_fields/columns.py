"""The values in a column of a table, one for each row."""

from collections.abc import Sequence
from statistics import median

from inference.fields.labels.vocabulary import spelled
from inference.fields.page_text import Piece
from inference.layout.boxes import Box
from inference.own_fields.candidates import Found, Part, Wanted, best_value, is_key
from inference.own_fields.page import Sheet
from inference.tables.table import Cell, Table

MAX_VALUES = 500


def column_values(wanted: Wanted, sheets: Sequence[Sheet]) -> list[Found]:
    """Return the values of a field in the tables that have its column, also where they go on over pages."""
    labels = {_spelled(label) for label in wanted.own.all_labels}
    found: list[Found] = []
    going_on: tuple[int, int] | None = None
    for sheet in sheets:
        in_tables = False
        for table in sheet.tables:
            column = _column_of(table, labels)
            if column is None and table.continues and going_on and going_on[0] == table.columns:
                column = going_on[1]
            if column is None:
                continue
            in_tables, going_on = True, (table.columns, column)
            found += _cells(wanted, sheet, table, column)
        if not in_tables:
            found += _below_head(wanted, sheet)
    return found[:MAX_VALUES]


def _spelled(text: str) -> str:
    return "".join(spelled(word) for word in text.split())


def _column_of(table: Table, labels: set[str]) -> int | None:
    last = max(1, table.header_rows)
    heads: dict[int, str] = {}
    for cell in table.cells:
        if cell.row < last:
            for column in range(cell.column, min(cell.column + cell.column_span, table.columns)):
                heads[column] = heads.get(column, "") + _spelled(cell.text)
            if _spelled(cell.text) in labels:
                return cell.column
    return next((column for column, head in heads.items() if head in labels), None)


def _cells(wanted: Wanted, sheet: Sheet, table: Table, column: int) -> list[Found]:
    filled: dict[int, int] = {}
    for cell in table.cells:
        if cell.text.strip():
            filled[cell.row] = filled.get(cell.row, 0) + 1
    body = [count for row, count in filled.items() if row >= table.header_rows]
    usual = median(body) if body else 0
    cells = [
        cell
        for cell in table.cells
        if cell.column == column and cell.row >= max(1, table.header_rows) - (not table.header_rows and table.continues)
    ]
    return [
        found
        for cell in cells
        if filled.get(cell.row, 0) > usual / 2 and (found := _of_cell(wanted, sheet, cell)) is not None
    ]


def _of_cell(wanted: Wanted, sheet: Sheet, cell: Cell) -> Found | None:
    text = " ".join(cell.text.split())
    value = best_value(wanted, text, wanted.style_on(sheet))
    if value is None or value.score < 0.5:
        return None
    box = cell.box or Box(0, 0, 0, 0)
    piece = Piece(0, 0, text, box, cell.confidence, cell.box is not None)
    return Found(sheet.number, (Part(piece, value.start, value.end),), value.normalized, value.score, (text,))


def _below_head(wanted: Wanted, sheet: Sheet) -> list[Found]:
    """Return the values below a head where no table was found."""
    found: list[Found] = []
    for labels in sheet.labeled.labels.values():
        for label in labels:
            if wanted.role not in sheet.labeled.roles(label) or not label.is_alone:
                continue
            box = label.piece.box
            while len(found) < MAX_VALUES:
                below = [piece for piece in sheet.text.below(box) if not is_key(piece.text)]
                value = best_value(wanted, below[0].text, wanted.style_on(sheet)) if below else None
                if value is None or value.score < 0.5:
                    break
                part = Part(below[0], value.start, value.end)
                quote = sheet.text.lines[below[0].line]
                found.append(Found(sheet.number, (part,), value.normalized, 0.9 * value.score, (quote,)))
                box = below[0].box
            return found
    return found
