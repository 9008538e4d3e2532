"""Finds the header rows of a table: those above the first row of values."""

from dataclasses import replace

from inference.tables.table import Cell, Table
from inference.tables.values import is_value, is_year

MAX_SHARE = 0.5
"""The share of the rows of a table that are header rows, at most."""
MIN_COLUMNS = 3
"""The columns of a table without values, at least, of which the first row is taken for a header."""


def with_headers(table: Table) -> Table:
    count = _header_rows(table)
    cells = tuple(replace(cell, header=cell.row < count) for cell in table.cells)
    return replace(table, cells=cells, header_rows=count)


def _header_rows(table: Table) -> int:
    rows: list[list[Cell]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        if cell.text:
            rows[cell.row].append(cell)
    first = next((number for number, row in enumerate(rows) if _has_values(row)), None)
    valued = next((number for number, row in enumerate(rows) if any(map(_is_number, row))), None)
    if first is None:
        first = 1 if table.columns >= MIN_COLUMNS and len(rows[0]) == table.columns and valued != 0 else 0
    elif valued:
        first = min(first, valued)
    if first > MAX_SHARE * table.rows:
        return 1 if len(rows[0]) > table.columns / 2 else 0
    while (
        first and first < table.rows and any(cell.row + cell.row_span > first for row in rows[:first] for cell in row)
    ):
        first += 1
    return first


def _has_values(row: list[Cell]) -> bool:
    """Return whether most cells behind the first column are values. Years alone are the heads of columns."""
    texts = [cell.text.strip() for cell in row if cell.column > 0]
    others = [text for text in texts if not is_year(text)]
    return sum(map(is_value, others)) > len(others) / 2


def _is_number(cell: Cell) -> bool:
    """Return whether a cell behind the first column is a value with digits, which no head is but a year."""
    return cell.column > 0 and any(map(str.isdigit, cell.text)) and is_value(cell.text) and not is_year(cell.text)
