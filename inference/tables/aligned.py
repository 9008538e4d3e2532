"""Tables without rules: rows of short texts that stand in the same columns."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean, median

from inference.layout.boxes import Box, PageLine, usual_height
from inference.layout.marks import with_marks
from inference.layout.order import regions_in_order
from inference.layout.roles import part_edges
from inference.tables.grid import build
from inference.tables.pieces import pieces_of
from inference.tables.rules import Rules
from inference.tables.table import Table
from inference.tables.values import is_value
from inference.tables.words import Word, rows_of

MIN_ROWS_OF_TWO = 3
"""The rows of a table of two columns, at least."""
WIDE_WHITE = 3.0
"""The distance between two rows of a table, at most, as a multiple of the usual one."""
MIN_FILLED = 0.5
MAX_CHARACTERS = 32
"""The usual length of the texts of cells, at most. Columns of prose have longer ones."""
MIN_VALUES = 0.3
"""The share of cells behind the first column that are values, at least, in a table of two columns."""


def aligned_tables(
    lines: Sequence[PageLine], words: Sequence[Word], height: float, page_height: float
) -> Iterator[Table]:
    """Yield the tables in the regions of a page that are read by rows."""
    by_line: dict[int, list[Word]] = {}
    for word in words:
        by_line.setdefault(word.line, []).append(word)
    if not lines:
        return
    marked = with_marks(part_edges(lines, page_height, usual_height(lines)).body)
    for region in regions_in_order(marked.lines):
        if not region.is_table:
            continue
        inside = [word for line in marked.parted(region.lines) for word in by_line.get(line.index, ())]
        for part in _parts(rows_of(inside), height):
            table = _table(part, height)
            if table is not None and _is_convincing(table):
                yield table


def _parts(rows: Sequence[list[Word]], height: float) -> Iterator[list[list[Word]]]:
    """Yield rows that follow each other closely, without single texts before the first and after the last row."""
    middles = [fmean(word.box.middle for word in row) for row in rows]
    usual = median(after - before for before, after in pairwise(middles)) if len(rows) > 1 else 0.0
    part: list[list[Word]] = []
    for number, row in enumerate(rows):
        if part and middles[number] - middles[number - 1] > max(WIDE_WHITE * usual, 2.5 * height):
            yield _trimmed(part, height)
            part = []
        part.append(row)
    yield _trimmed(part, height)


def _trimmed(rows: list[list[Word]], height: float) -> list[list[Word]]:
    several = [number for number, row in enumerate(rows) if len(pieces_of(row, height)) > 1]
    return rows[several[0] : several[-1] + 1] if several else []


def _table(rows: Sequence[list[Word]], height: float) -> Table | None:
    words = [word for row in rows for word in row]
    if len(rows) < 2:
        return None
    return build(words, Box.around(word.box for word in words), Rules((), ()), height)


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
