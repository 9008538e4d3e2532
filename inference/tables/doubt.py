"""Lowers the confidence in the cells of a table whose sides are not drawn."""

from dataclasses import replace

from inference.tables.table import Table

DRAWN, DIVIDED, BETWEEN_RULES, ALIGNED = 1.0, 0.97, 0.97, 0.93
"""The confidence in a table all cells of which are drawn, some of which are, between rules, and by white alone."""
CROSSING = 0.75
"""The confidence in a cell across the white between columns below the header."""
EMPTY = 0.3
"""The part of the confidence that a table without texts would lose."""
FEW_ROWS = 0.3
"""The part of the confidence that a table loses by its few rows, divided by their number."""


def with_doubt(table: Table, certainty: float) -> Table:
    """Return the table with the confidence of its cells lowered by the doubt in its structure."""
    if certainty >= DRAWN:
        return table
    filled = sum(cell.column_span * cell.row_span for cell in table.cells if cell.text)
    share = min(1.0, filled / max(1, table.rows * table.columns))
    certainty *= (1 - EMPTY * (1 - share)) * (1 - FEW_ROWS / max(1, table.rows))
    cells = tuple(
        replace(
            cell,
            confidence=cell.confidence
            * certainty
            * (CROSSING if cell.column_span > 1 and cell.row >= table.header_rows else 1.0),
        )
        for cell in table.cells
    )
    return replace(table, cells=cells)
