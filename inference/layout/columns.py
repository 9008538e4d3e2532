"""Columns of prose, which are read one after the other, kept apart from those of a table, which are read by rows."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from inference.layout.boxes import Box, PageLine
from inference.layout.gutters import Gutter, find_gutters, split
from inference.layout.paragraphs import BULLETS
from inference.layout.rows import gather_rows

MIN_PROSE_ROWS = 3
CLOSE = 1.6
"""The white between two lines of prose, at most, as a multiple of a line's height."""
MIN_CLOSE = 0.6
"""The share of the lines of prose that follow another closely."""
MIN_PROSE_FILL = 0.7
"""The share of the width of its column that half of the lines of prose fill."""
MIN_PROSE_CHARACTERS = 14
SAME_ROW = 0.35
"""The distance between the middles of two lines in a row, as a share of their height."""
ALIGNED = 0.6
"""The share of lines with a neighbor in the same row from which two columns belong together by rows."""
UNALIGNED = 0.45
"""The same share below which columns of many rows are certainly not those of a table."""
TALL_ROWS = 8
LONG_CHARACTERS = 25
"""The usual length of the lines of such a column, at least. The blocks of an invoice beside each other are shorter."""
MIN_ITEMS = 0.6
"""The share of the lines of a list that begin with a bullet."""
MIN_BLOCK_CHARACTERS = 6
"""The usual length of the lines of a block, such as an address, at least."""
NARROW = 0.4
"""The width of the gutters between such columns, as a share of that of others."""
MIN_NARROW_ROWS = 6
CERTAIN = 1.0
"""The certainty of columns of prose. They run on across wide white."""
WIDE_GUTTER = 5.0
"""The width, as a multiple of a line's height, of a gutter between two blocks that do not belong together."""


@dataclass(frozen=True, slots=True)
class Columns:
    parts: tuple[tuple[PageLine, ...], ...]
    """The columns from left to right."""
    by_rows: bool
    """Whether the columns are those of a table, which is read row by row."""
    certainty: float
    """The certainty of that from 0 to 1."""


def judge(lines: Sequence[PageLine], gutters: Sequence[Gutter], height: float) -> Columns:
    """Return the columns on both sides of the gutter that separates most, or all columns of a table."""
    columns = split(lines, gutters)
    prose = [is_column_of_prose(column) for column in columns]
    if _run_down(columns, prose, len(lines)):
        return Columns(tuple(map(tuple, columns)), by_rows=False, certainty=CERTAIN)
    widest = max(range(len(gutters)), key=lambda index: gutters[index].width)
    sides = split(lines, [gutters[widest]])
    by_rows, certainty = _by_rows(sides[0], sides[1], gutters[widest], height, tables=len(gutters) > 1)
    if not by_rows and any(prose):
        certainty = CERTAIN
    return Columns(tuple(map(tuple, columns if by_rows else sides)), by_rows, certainty)


def narrow_columns(lines: Sequence[PageLine], height: float) -> Columns | None:
    """Return columns of prose with less white between them than other columns have, if nearly all is in such columns.

    The boxes of recognized lines are wider than their print, so that a narrow gutter may be hardly left.
    """
    gutters = find_gutters(lines, NARROW * height)
    if not gutters:
        return None
    columns = split(lines, gutters)
    tall = [len(column) >= MIN_NARROW_ROWS and is_column_of_prose(column) for column in columns]
    return Columns(tuple(map(tuple, columns)), by_rows=False, certainty=CERTAIN) if all(tall) else None


def is_column_of_prose(lines: Sequence[PageLine]) -> bool:
    """Return whether the lines are prose. A justified line may have been found in pieces."""
    rows = gather_rows(lines)
    return is_prose([PageLine(0, row.text, row.box) for row in rows])


def is_prose(lines: Sequence[PageLine]) -> bool:
    """Return whether most lines are long, fill their column, and follow the one above closely."""
    if len(lines) < MIN_PROSE_ROWS or _usual_length(lines) < MIN_PROSE_CHARACTERS:
        return False
    width = Box.around(line.box for line in lines).width
    filled = median(line.box.width for line in lines) / max(width, 1e-6)
    return filled >= MIN_PROSE_FILL and _close_share(lines) >= MIN_CLOSE


def _close_share(lines: Sequence[PageLine]) -> float:
    """Return the share of lines that begin closely below another."""
    ordered = sorted(lines, key=lambda line: line.box.top)
    close = (below.box.top - above.box.bottom < CLOSE * above.box.height for above, below in pairwise(ordered))
    return sum(close) / (len(lines) - 1)


def _run_down(columns: Sequence[Sequence[PageLine]], prose: Sequence[bool], count: int) -> bool:
    """Return whether these are columns of prose: at least two and most of the lines, or all of them with long lines."""
    in_prose = sum(len(column) for column, yes in zip(columns, prose, strict=True) if yes)
    if sum(prose) > 1 and in_prose > count / 2:
        return True
    return any(prose) and all(_usual_length(column) >= MIN_PROSE_CHARACTERS for column in columns)


def aligned_share(left: Sequence[PageLine], right: Sequence[PageLine]) -> float:
    """Return the share of the lines of the shorter side that have a neighbor in the same row on the other side."""
    fewer, more = sorted((left, right), key=len)
    middles = sorted(line.box.middle for line in more)
    near = 0
    for line in fewer:
        middle, reach = line.box.middle, SAME_ROW * line.box.height
        first = bisect_left(middles, middle - reach)
        near += first < len(middles) and middles[first] <= middle + reach
    return near / len(fewer)


def _by_rows(
    left: Sequence[PageLine], right: Sequence[PageLine], gutter: Gutter, height: float, *, tables: bool
) -> tuple[bool, float]:
    aligned = aligned_share(left, right)
    if max(_item_share(left), _item_share(right)) >= MIN_ITEMS:
        return False, CERTAIN
    if aligned < ALIGNED:
        tall = max(len(left), len(right)) >= TALL_ROWS
        long = max(_usual_length(left), _usual_length(right)) >= LONG_CHARACTERS
        return False, CERTAIN if tall and long and aligned < UNALIGNED else min(0.95, 0.5 + (ALIGNED - aligned))
    certainty = min(0.95, 0.6 + (aligned - ALIGNED))
    if _are_values(right) or _are_labels(left) or (tables and not is_prose(left)):
        return True, certainty
    shorter = min(_usual_length(left), _usual_length(right))
    return gutter.width < WIDE_GUTTER * height or shorter < MIN_BLOCK_CHARACTERS, 0.6


def _item_share(lines: Sequence[PageLine]) -> float:
    return (
        sum(line.text.lstrip()[:1] in BULLETS for line in lines) / len(lines) if len(lines) >= MIN_PROSE_ROWS else 0.0
    )


def _are_values(lines: Sequence[PageLine]) -> bool:
    """Return whether most lines are numbers, dates or other short values."""
    return sum(_is_value(line.text) for line in lines) >= len(lines) / 2


def _is_value(text: str) -> bool:
    return sum(map(str.isdigit, text)) >= 0.4 * len(text.replace(" ", ""))


def _are_labels(lines: Sequence[PageLine]) -> bool:
    return sum(line.text.rstrip().endswith(":") for line in lines) >= 0.4 * len(lines)


def _usual_length(lines: Sequence[PageLine]) -> float:
    return median(len(line.text) for line in lines)
