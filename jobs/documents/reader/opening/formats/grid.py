"""Places the cells of a table, some of which span rows or columns, into a grid without overlaps."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from ..limits import DocumentLimits, too_large
from .items import Cell, Table, clean

MAX_COLUMNS = 1000
"""The most columns, as browsers have it. A cell that begins after them is left out."""
MAX_ROW_SPAN = 65_534


class Grid:
    """A table that is filled row by row. Each cell takes the next free place of its row."""

    def __init__(self, limits: DocumentLimits) -> None:
        self._limits = limits
        self._cells: list[Cell] = []
        self._column = 0
        self._hanging: dict[int, int] = {}
        """For each column, the row after the last one that a cell from above covers."""
        self._only_headers = True
        self._header_rows = 0
        self.row = -1
        """The number of the current row, from 0."""

    @property
    def column(self) -> int:
        return self._column

    def begin_row(self, *, header: bool = False) -> None:
        self.row += 1
        self._column = 0
        self._only_headers = self._only_headers and header
        self._header_rows += self._only_headers
        if self.row >= self._limits.max_table_places:
            raise too_large(f"A table has more than {self._limits.max_table_places} rows.")

    def skip(self, columns: int) -> None:
        self._column = min(MAX_COLUMNS, self._column + columns)

    def add(self, text: str, *, row_span: int = 1, column_span: int = 1, header: bool = False) -> Cell | None:
        """Add a cell. Its spans may be as large as they like: they end at other cells and at the table's border."""
        while self._hanging.get(self._column, 0) > self.row:
            self._column += 1
        if self._column >= MAX_COLUMNS:
            return None
        if len(self._cells) >= self._limits.max_table_cells:
            raise too_large(f"A table has more than the {self._limits.max_table_cells} cells that are allowed.")
        end, most = self._column + 1, min(self._column + max(1, column_span), MAX_COLUMNS)
        while end < most and self._hanging.get(end, 0) <= self.row:
            end += 1
        row_span = min(max(1, row_span), MAX_ROW_SPAN)
        cell = Cell(self.row, self._column, clean(text), row_span, end - self._column, header)
        self._cells.append(cell)
        if row_span > 1:
            self._hanging.update(dict.fromkeys(range(self._column, end), self.row + row_span))
        self._column = end
        return cell

    def table(self) -> Table:
        return finished(self._cells, self._header_rows)


def finished(cells: Sequence[Cell], header_rows: int = 0) -> Table:
    """Return the table without rows and columns in which no cell begins, and with spans that end at its border."""
    rows = sorted({cell.row for cell in cells})
    columns = sorted({cell.column for cell in cells})
    header_rows = bisect_left(rows, header_rows)
    header_rows = header_rows if header_rows < len(rows) else 0
    inside = [_moved(cell, rows, columns, header_rows) for cell in cells]
    return Table(len(rows), len(columns), inside, header_rows)


def _moved(cell: Cell, rows: Sequence[int], columns: Sequence[int], header_rows: int) -> Cell:
    row, column = bisect_left(rows, cell.row), bisect_left(columns, cell.column)
    row_span = bisect_left(rows, cell.row + cell.row_span) - row
    column_span = bisect_left(columns, cell.column + cell.column_span) - column
    return replace(
        cell,
        row=row,
        column=column,
        row_span=row_span,
        column_span=column_span,
        header=cell.header or row < header_rows,
    )
