"""The cells of a table in the order in which they are written, with an empty cell in each place that has none."""

from collections.abc import Iterator

from inference.tables.table import Cell, Table


def placed_cells(table: Table) -> Iterator[tuple[Cell, bool]]:
    """Yield each cell, by rows and columns, and whether it is a header. Cells that overlap others are left out."""
    by_place = {(cell.row, cell.column): cell for cell in table.cells}
    covered: set[tuple[int, int]] = set()
    for row in range(table.rows):
        for column in range(table.columns):
            if (row, column) in covered:
                continue
            cell = by_place.get((row, column)) or Cell(row, column, "", None)
            if cell.row_span > 1 or cell.column_span > 1:
                places = {
                    (row + down, column + across) for down in range(cell.row_span) for across in range(cell.column_span)
                }
                if places & covered:
                    cell = Cell(row, column, cell.text, None)
                else:
                    covered |= places
            yield cell, cell.header or row < table.header_rows
