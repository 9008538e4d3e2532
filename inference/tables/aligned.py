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
from inference.tables.table import Cell, Table
from inference.tables.values import is_code, is_value, is_year
from inference.tables.words import Word

MIN_ROWS_OF_TWO = 3
"""The rows of a table of two columns, at least."""
MIN_FILLED = 0.5
MAX_LABELS = 2
"""The rows of a label alone that may end a table, at most."""
MAX_PITCH = 1.3
"""Their distance to the row above, at most, as a multiple of the usual one."""
MIN_OTHERS = 3
"""The rows of fewer texts above a head row, at least, that belong to something else, such as a letterhead."""
MANY = 0.34
"""The share of the rows of a table that have a value, at least, where another table may follow."""
MAX_HEAD_ROWS = 4
MIN_HEADS = 3
"""The texts of a row that is taken for the head of another table, at least."""
MAX_CHARACTERS = 32
"""The usual length of the texts of cells, at most. Columns of prose have longer ones."""
FEW_ROWS = 3
"""The rows up to which a table has a column of values, not only texts."""
PROSE_WORDS, PROSE_SMALL, PROSE_VALUES = 3, 0.45, 0.1
"""Of running text: the words of a cell, and the share of words in small letters, at least; that of values, at most."""
FEW_VALUES = 0.2
"""The same, if its first row does not name each column. Addresses beside each other have fewer."""
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
        is_first = number - start >= MIN_OTHERS and _is_below_others(rows[start:number], row)
        if is_below_text or is_first or (_has_value(above) and _stand_apart(above, row)):
            yield rows[start:number]
            start = number
    yield rows[start:]


def _is_below_others(rows: Sequence[Sequence[Piece]], head: Sequence[Piece]) -> bool:
    """Return whether rows above a head belong to something else, as those of a letterhead: shorter, with few values."""
    return len(head) > max(map(len, rows)) and sum(map(_has_value, rows)) < MANY * len(rows)


def _is_head(row: Sequence[Piece]) -> bool:
    return len(row) >= MIN_HEADS and not any(is_value(piece.text) for piece in row)


def _has_value(row: Sequence[Piece]) -> bool:
    return any(is_value(piece.text) for piece in row)


def _stand_apart(above: Sequence[Piece], row: Sequence[Piece]) -> bool:
    """Return whether few texts of a row stand below one of the row above."""
    below = sum(any(piece.box.shares_width(other.box) > 0 for other in above) for piece in row)
    return below <= len(row) / 2


def _trimmed(rows: Sequence[list[Piece]]) -> Sequence[list[Piece]]:
    """Return the rows without single texts at both ends that stand in no column."""
    several = [number for number, row in enumerate(rows) if len(row) > 1]
    if not several:
        return []
    first, last = _first(rows, several), several[-1]
    several = [number for number in several if number >= first]
    ends = _Ends([rows[number] for number in several])
    if first and ends.is_head(rows[first - 1][0], rows[first]):
        first -= 1
    while last + 1 < len(rows) and last < several[-1] + MAX_LABELS and ends.is_label(rows[last + 1][0], rows[last]):
        last += 1
    return rows[first : last + 1]


def _first(rows: Sequence[list[Piece]], several: Sequence[int]) -> int:
    """Return the first row of several texts, without what stands above the heads of the values, as addresses do."""
    valued = next((number for number in several if _has_value(rows[number][1:])), None)
    if valued is None or valued - several[0] <= MAX_HEAD_ROWS:
        return several[0]
    first = valued
    while first > valued - MAX_HEAD_ROWS and len(rows[first - 1]) > 1:
        first -= 1
    return first


class _Ends:
    """The rows of several texts of a table, which tell what may stand alone above and below them."""

    def __init__(self, rows: Sequence[list[Piece]]) -> None:
        self.left = median(row[0].box.left for row in rows)
        self.right = max(row[0].box.right for row in rows)
        self.second = min(row[1].box.left for row in rows)
        self.height = median(piece.box.height for row in rows for piece in row)
        self.reach = MAX_PITCH * median(map(_distance, rows, rows[1:])) if len(rows) > 1 else 0.0

    def is_head(self, piece: Piece, below: list[Piece]) -> bool:
        """Return whether a text stands above columns behind the first, as a head over several does."""
        return piece.box.left >= min(self.right, self.second) and _distance([piece], below) <= self.reach

    def is_label(self, piece: Piece, above: list[Piece]) -> bool:
        """Return whether a text stands in the first column."""
        box = piece.box
        starts = abs(box.left - self.left) <= self.height
        return starts and box.right <= self.second and _distance(above, [piece]) <= self.reach


def _distance(above: Sequence[Piece], below: Sequence[Piece]) -> float:
    """Return how far apart the middles of two rows are."""
    one, other = (sum(piece.box.middle for piece in row) / len(row) for row in (above, below))
    return other - one


def _table(rows: Sequence[list[Piece]], rules: Rules, height: float) -> Table | None:
    words = [word for row in rows for piece in row for word in piece.words]
    if len(rows) < 2:
        return None
    box = Box.around(word.box for word in words)
    if is_plot(words, box):
        return None
    return build(words, box, rules_within(rules, box))


def _is_convincing(table: Table) -> bool:
    texts = [cell for cell in table.cells if cell.text]
    later = [cell.text for cell in texts if cell.column > 0]
    if table.columns < 2 or table.rows < 2 or not later:
        return False
    too_empty = len(texts) < MIN_FILLED * table.rows * table.columns
    if too_empty or median(len(cell.text) for cell in texts) > MAX_CHARACTERS:
        return False
    if _is_prose(texts) or (table.rows <= FEW_ROWS and not _has_column_of_values(texts, table.columns)):
        return False
    values = sum(is_value(text) or is_code(text) for text in later)
    heads = sum(cell.row == 0 for cell in texts)
    if heads < table.columns and values < FEW_VALUES * len(later):
        return False
    if table.columns == 2:
        labels = sum(cell.text.endswith(":") for cell in texts if cell.column == 0)
        has_head = not any(is_value(cell.text) and not is_year(cell.text) for cell in texts if cell.row == 0)
        return (
            has_head and table.rows >= MIN_ROWS_OF_TWO and labels < table.rows / 2 and values >= MIN_VALUES * len(later)
        )
    return True


def _is_prose(cells: Sequence[Cell]) -> bool:
    """Return whether the texts are lines of running text in columns."""
    words = [word for cell in cells for word in cell.text.split()]
    small = sum(word[0].islower() for word in words)
    values = sum(is_value(cell.text) for cell in cells)
    many = len(words) >= PROSE_WORDS * len(cells)
    return many and small >= PROSE_SMALL * len(words) and values <= PROSE_VALUES * len(cells)


def _has_column_of_values(cells: Sequence[Cell], columns: int) -> bool:
    for column in range(1, columns):
        texts = [cell.text for cell in cells if cell.row > 0 and cell.column == column]
        if texts and all(is_value(text) or is_code(text) for text in texts):
            return True
    return False
