"""Says how sure a table is: by the confidence in its cells where their sides are not drawn, and as a whole."""

from dataclasses import replace

from inference.tables.table import Cell, Table
from inference.tables.values import is_value

DRAWN, DIVIDED, BETWEEN_RULES, ALIGNED = 1.0, 0.97, 0.97, 0.93
"""The confidence in a table all cells of which are drawn, some of which are, between rules, and by white alone."""
CROSSING = 0.75
"""The confidence in a cell across the white between columns below the header."""
EMPTY = 0.3
"""The part of the confidence that a table without texts would lose."""
FEW_ROWS = 0.3
"""The part of the confidence that a table loses by its few rows, divided by their number."""
DOUBTFUL, CLEAR = 0.65, 0.9
"""The confidence in the least certain cell below which a table is doubtful, and from which on its rules are clear."""
MIN_FILLED, MIN_TEXT = 0.6, 0.3
"""The share of places with text, and of the height with rows of text, below which a table is doubtful."""
MAX_SEVERAL, MAX_SPANS = 0.1, 0.15
"""The share of cells that hold several values, or span columns below the header, from which on it is doubtful."""


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
            * (CROSSING if 1 < cell.column_span < table.columns and cell.row >= table.header_rows else 1.0),
        )
        for cell in table.cells
    )
    return replace(table, cells=cells)


def is_doubtful(table: Table) -> bool:
    """Return whether a table may be none, or its cells may be divided wrong."""
    texts = [cell for cell in table.cells if cell.text]
    if not texts:
        return True
    least = min(cell.confidence for cell in texts)
    if least < DOUBTFUL or _share_of_text(table) < MIN_TEXT:
        return True
    if least >= CLEAR:
        return False
    body = [cell for cell in texts if cell.row >= table.header_rows]
    return (
        sum(cell.row_span * cell.column_span for cell in texts) < MIN_FILLED * table.rows * table.columns
        or sum(map(_has_several, texts)) >= MAX_SEVERAL * len(texts)
        or sum(1 < cell.column_span < table.columns for cell in body) >= MAX_SPANS * max(1, len(body))
    )


def _has_several(cell: Cell) -> bool:
    words = cell.text.split()
    return len(words) > 1 and all(map(is_value, words))


def _share_of_text(table: Table) -> float:
    """Return the share of the height of a table that has rows of text. Plots have much white between them."""
    rows: dict[int, tuple[float, float]] = {}
    for cell in table.cells:
        if cell.text and cell.box is not None and cell.row_span == 1:
            top, bottom = rows.get(cell.row, (cell.box.top, cell.box.bottom))
            rows[cell.row] = min(top, cell.box.top), max(bottom, cell.box.bottom)
    height = table.box.height if table.box else 0.0
    return sum(bottom - top for top, bottom in rows.values()) / height if rows and height > 0 else 1.0
