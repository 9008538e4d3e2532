"""Builds a table from the words and rules of an area, where the cells are not all drawn."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from inference.layout.boxes import Box
from inference.tables.apart import apart
from inference.tables.heads import with_heads
from inference.tables.pieces import pieces_of, whites
from inference.tables.rules import Rules
from inference.tables.sections import GridRow, spread_sections
from inference.tables.table import Cell, Table
from inference.tables.text_rows import TextRow, text_rows
from inference.tables.values import is_value, is_year
from inference.tables.words import Word, rows_of, usual_height

CROSSED = 0.12
"""The share of rows that may cross the white between two columns, such as headlines over both."""
MIN_WHITES = ((8, 0.1), (5, 0.35), (0, 0.8))
"""The rows from which on a width of white between columns is enough, as a multiple of a line's height."""
MIN_POST = 1.2
"""The length of an upright rule that parts columns."""
LONG = 0.6
"""The share of the width of a table from which on a level rule parts its rows."""
DENSE = 0.55
"""The share of rows with a rule below them from which on the rules part all rows."""
MAX_HEADER = 6
SECTION_PITCH = 0.85
"""The distance of a heading of a section to the head above it, at least, as a multiple of that to the row below."""
TIGHT = 1.3
"""The distance between the rows of a cell, at most, as a multiple of the smallest distance of rows."""


def build(words: Sequence[Word], box: Box, rules: Rules) -> Table | None:
    """Return the table in an area, or None if its words have no columns."""
    printed, height = rows_of(words), usual_height(words)
    separators = column_sides(printed, box, rules, height)
    if not separators:
        return None
    levels = [rule.at for rule in rules.level if rule.covers(box.left, box.right) >= LONG]
    rows = text_rows(printed, separators, levels, rules, height)
    header = header_rows(rows)
    rows = with_heads(rows, header, separators, height)
    grid = join_rows(rows, header, len(separators) + 1)
    spread_sections(grid, box, len(separators) + 1)
    return _table(grid, separators, box)


def column_sides(printed: Sequence[Sequence[Word]], box: Box, rules: Rules, height: float) -> list[float]:
    posts = [
        post
        for post in rules.upright
        if box.left + height / 2 < post.at < box.right - height / 2 and post.length >= MIN_POST * height
    ]
    several = []
    for row in printed:
        around = Box.around(word.box for word in row)
        pieces = pieces_of(row, height, [post.at for post in posts if post.start < around.middle < post.end])
        if len(pieces) > 1:
            several.append(pieces)
    if len(several) < 2:
        return []
    least = next(white for rows, white in MIN_WHITES if len(several) >= rows)
    found = [white for white in whites(several, CROSSED) if white[1] - white[0] >= least * height]
    separators = []
    for left, right in found:
        inside = [post.at for post in posts if left - height / 4 <= post.at <= right + height / 4]
        separators.append(inside[0] if inside else (left + right) / 2)
    tall = [post.at for post in posts if post.covers(box.top, box.bottom) >= 0.5]
    separators += [at for at in tall if all(abs(at - other) > height / 2 for other in separators)]
    return _with_content(sorted(separators), printed)


def _with_content(separators: Sequence[float], printed: Sequence[Sequence[Word]]) -> list[float]:
    """Return the separators that have words of at least two rows on both sides, up to the next."""
    kept: list[float] = []
    sides = [float("-inf"), *separators, float("inf")]
    for position in range(1, len(sides) - 1):
        left = kept[-1] if kept else sides[0]
        if _rows_within(left, sides[position], printed) >= 2:
            kept.append(sides[position])
    while kept and _rows_within(kept[-1], sides[-1], printed) < 2:
        kept.pop()
    return kept


def _rows_within(left: float, right: float, printed: Sequence[Sequence[Word]]) -> int:
    return sum(any(left < word.box.center < right for word in row) for row in printed)


def header_rows(rows: Sequence[TextRow]) -> int:
    """Return the number of printed rows above the body."""
    bands = [row.band for row in rows]
    first_values = next((number for number, row in enumerate(rows) if _has_values(row)), None)
    if first_values is not None and _is_section(rows[: first_values + 1]):
        first_values -= 1
    # Rows up to the first rule below the first row, if the body begins there.
    start = bands[0]
    above = sum(band == start for band in bands)
    if above <= min(MAX_HEADER, len(rows) / 2) and (first_values is None or above <= first_values):
        limit = above
        while first_values is not None and limit < first_values and rows[limit].spans and limit < MAX_HEADER:
            limit += 1
        return limit
    if first_values is not None and 0 < first_values <= min(MAX_HEADER, len(rows) / 2):
        return first_values
    return 0


def _is_section(rows: Sequence[TextRow]) -> bool:
    """Return whether the row before the last is the heading of a section, as far from the head above as from below."""
    if len(rows) < 3 or len(rows[-2].pieces) > 1 or 0 not in rows[-2].pieces or 0 not in rows[-3].pieces:
        return False
    above, below = (other.box.middle - row.box.middle for row, other in zip(rows[-3:-1], rows[-2:], strict=True))
    text = rows[-2].pieces[0][1].text
    return len(rows[-3].pieces) > 1 and not text[:1].islower() and above >= SECTION_PITCH * below


def _has_values(row: TextRow) -> bool:
    """Return whether most of a row behind its first column are values."""
    later = [piece.text for start, (_, piece) in row.pieces.items() if start > 0]
    years = all(map(is_year, later))
    return bool(later) and not years and sum(map(is_value, later)) > len(later) / 2


def join_rows(rows: Sequence[TextRow], header: int, columns: int) -> list[GridRow]:
    """Return the rows of the table: printed rows that continue cells joined to those above."""
    grid: list[GridRow] = []
    bands = {row.band for row in rows[header:]}
    dense = len(rows) > header and len(bands) >= DENSE * (len(rows) - header)
    pitches = [after.box.middle - before.box.middle for before, after in pairwise(rows)]
    least = min(pitches, default=0.0)
    usual = median(pitches) if pitches else 0.0
    split = {band: _are_rows([row for row in rows[header:] if row.band == band], columns) for band in bands}
    for number, row in enumerate(rows):
        before = rows[number - 1] if number else None
        if before is None or before.band != row.band or number == header:
            continues = False
        elif number < header:
            continues = not row.spans and (not before.spans or _stands_under(before, row))
        elif dense:
            continues = not split[row.band]
        else:
            near = row.box.middle - before.box.middle <= max(TIGHT * least, usual)
            continues = near and _continues(before, row)
        if not continues:
            grid.append(GridRow(band=row.band))
        target = grid[-1].cells
        for start, (end, piece) in row.pieces.items():
            if start in target:
                known_end, known = target[start]
                target[start] = max(end, known_end), [*known, piece]
            else:
                target[start] = end, [piece]
    return grid


def _stands_under(before: TextRow, row: TextRow) -> bool:
    """Return whether each text of a header row stands under one that spans no other column."""
    return all(start in before.pieces and before.pieces[start][0] == start for start in row.pieces)


def _are_rows(rows: Sequence[TextRow], columns: int) -> bool:
    """Return whether the printed rows between two rules are rows of their own, as their values show."""
    if len(rows) < 2:
        return False
    full = sum(len(row.pieces) for row in rows) >= 0.6 * len(rows) * len(set().union(*(row.pieces for row in rows)))
    for column in range(1, columns):
        texts = [row.pieces[column][1].text for row in rows if column in row.pieces]
        if len(texts) >= max(2, 0.8 * len(rows)) and sum(map(is_value, texts)) >= 0.8 * len(texts):
            return full
    return False


def _continues(before: TextRow, row: TextRow) -> bool:
    """Return whether a printed row goes on with the cells of the one before."""
    texts = [piece.text for _, piece in row.pieces.values()]
    if any(map(is_value, texts)):
        return False
    if 0 in row.pieces:
        return len(row.pieces) == 1 and texts[0][:1].islower()
    return all(start in before.pieces and not is_value(before.pieces[start][1].text) for start in row.pieces)


def _table(grid: Sequence[GridRow], separators: Sequence[float], box: Box) -> Table:
    cells = apart(cell for number, row in enumerate(grid) for cell in cells_of(row, number))
    return Table(len(grid), len(separators) + 1, cells, box)


def cells_of(row: GridRow, number: int) -> Iterator[Cell]:
    for start, (end, pieces) in sorted(row.cells.items()):
        words = [word for piece in pieces for word in piece.words]
        text = " ".join(piece.text for piece in pieces)
        around = Box.around(word.box for word in words)
        confidence = min(word.confidence for word in words)
        yield Cell(number, start, text, around, 1, end - start + 1, confidence=confidence)
