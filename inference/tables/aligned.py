"""Tables without rules around them: rows of short texts that stand in the same columns."""

from collections.abc import Iterator, Sequence
from statistics import median

from inference.layout.boxes import Box
from inference.tables.beside import parted
from inference.tables.blocks import blocks_of
from inference.tables.grid import build
from inference.tables.pieces import Piece
from inference.tables.plots import is_plot
from inference.tables.rules import Rules, rules_within
from inference.tables.table import Table
from inference.tables.values import is_value
from inference.tables.words import Word

MIN_ROWS_OF_TWO = 3
"""The rows of a table of two columns, at least."""
MIN_FILLED = 0.5
MIN_HEADS = 3
"""The texts of a row that is taken for the head of another table, at least."""
MAX_CHARACTERS = 32
"""The usual length of the texts of cells, at most. Columns of prose have longer ones."""
MIN_VALUES = 0.3
"""The share of cells behind the first column that are values, at least, in a table of two columns."""


def aligned_tables(words: Sequence[Word], rules: Rules, height: float) -> Iterator[Table]:
    for block in blocks_of(words, height):
        for rows in (rows for part in _parts(block.rows) for rows in parted(part, rules, height)):
            table = _table(_trimmed(rows), rules, height)
            if table is not None and _is_convincing(table):
                yield table


def _parts(rows: Sequence[list[Piece]]) -> Iterator[Sequence[list[Piece]]]:
    """Yield the rows of each table: another begins with a head row below a single text or below other columns."""
    start = 0
    for number in range(1, len(rows)):
        above, row = rows[number - 1], rows[number]
        if not _is_head(row) or number - start < 2:
            continue
        is_below_text = len(above) == 1 and len(above[0].words) > 2 and any(map(_has_value, rows[start:number]))
        if is_below_text or (_has_value(above) and _stand_apart(above, row)):
            yield rows[start:number]
            start = number
    yield rows[start:]


def _is_head(row: Sequence[Piece]) -> bool:
    return len(row) >= MIN_HEADS and not any(is_value(piece.text) for piece in row)


def _has_value(row: Sequence[Piece]) -> bool:
    return any(is_value(piece.text) for piece in row)


def _stand_apart(above: Sequence[Piece], row: Sequence[Piece]) -> bool:
    """Return whether few texts of a row stand below one of the row above."""
    below = sum(any(piece.box.shares_width(other.box) > 0 for other in above) for piece in row)
    return below <= len(row) / 2


def _trimmed(rows: Sequence[list[Piece]]) -> Sequence[list[Piece]]:
    """Return the rows without single texts before the first and after the last row."""
    several = [number for number, row in enumerate(rows) if len(row) > 1]
    return rows[several[0] : several[-1] + 1] if several else []


def _table(rows: Sequence[list[Piece]], rules: Rules, height: float) -> Table | None:
    words = [word for row in rows for piece in row for word in piece.words]
    if len(rows) < 2:
        return None
    box = Box.around(word.box for word in words)
    if is_plot(words, box):
        return None
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
