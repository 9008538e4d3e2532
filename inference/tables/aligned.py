"""Tables without rules around them: rows of short texts that stand in the same columns."""

from collections.abc import Iterator, Sequence
from statistics import median

from inference.layout.boxes import Box
from inference.tables.beside import parted
from inference.tables.blocks import blocks_of
from inference.tables.grid import build
from inference.tables.pieces import Piece
from inference.tables.rules import Rules, rules_within
from inference.tables.table import Table
from inference.tables.values import is_value
from inference.tables.words import Word

MIN_ROWS_OF_TWO = 3
"""The rows of a table of two columns, at least."""
MIN_FILLED = 0.5
MAX_CHARACTERS = 32
"""The usual length of the texts of cells, at most. Columns of prose have longer ones."""
MIN_VALUES = 0.3
"""The share of cells behind the first column that are values, at least, in a table of two columns."""


def aligned_tables(words: Sequence[Word], rules: Rules, height: float) -> Iterator[Table]:
    for block in blocks_of(words, height):
        for rows in parted(block.rows, rules, height):
            table = _table(_trimmed(rows), rules, height)
            if table is not None and _is_convincing(table):
                yield table


def _trimmed(rows: Sequence[list[Piece]]) -> Sequence[list[Piece]]:
    """Return the rows without single texts before the first and after the last row."""
    several = [number for number, row in enumerate(rows) if len(row) > 1]
    return rows[several[0] : several[-1] + 1] if several else []


def _table(rows: Sequence[list[Piece]], rules: Rules, height: float) -> Table | None:
    words = [word for row in rows for piece in row for word in piece.words]
    if len(rows) < 2:
        return None
    box = Box.around(word.box for word in words)
    return build(words, box, rules_within(rules, box), height)


def _is_convincing(table: Table) -> bool:
    texts = [cell for cell in table.cells if cell.text]
    later = [cell.text for cell in texts if cell.column > 0]
    if table.columns < 2 or table.rows < 2 or not later:
        return False
    if len(texts) < MIN_FILLED * table.rows * table.columns:
        return False
    if median(len(cell.text) for cell in texts) > MAX_CHARACTERS:
        return False
    if table.rows == 2 and not any(map(is_value, later)):
        return False
    if table.columns == 2:
        labels = sum(cell.text.endswith(":") for cell in texts if cell.column == 0)
        values = sum(map(is_value, later))
        return table.rows >= MIN_ROWS_OF_TWO and labels < table.rows / 2 and values >= MIN_VALUES * len(later)
    return True
