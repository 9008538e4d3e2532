"""Parts tables that stand beside each other, whose rows would otherwise be read across."""

from collections.abc import Sequence

from inference.tables.pieces import Piece, whites
from inference.tables.rules import Rules
from inference.tables.values import is_code, is_value

WIDER = 1.3
"""The width of the white between two tables, at least, as a multiple of that between columns."""
MIN_WHITE = 1.5
"""The same as a multiple of a line's height."""
MIN_ROWS = 3
MIN_VALUES = 0.6
"""The share of values in the columns on either side of labels, at least."""
MAX_VALUES = 0.2
"""The share of values in a column of labels, at most."""

MIN_ALONE = 2
"""The rows that only one of two tables has at its top or bottom, at least, if their columns do not tell them apart."""

Rows = Sequence[list[Piece]]


def parted(rows: Rows, rules: Rules, height: float) -> list[Rows]:
    """Return the rows of each table, from left to right."""
    several = [row for row in rows if len(row) > 1]
    found = list(whites(several, 0.0))
    if len(several) < MIN_ROWS or len(found) < MIN_ROWS:
        return [rows]
    left, right = max(found, key=lambda white: white[1] - white[0])
    others = [white[1] - white[0] for white in found if white != (left, right)]
    middle = (left + right) / 2
    if right - left < max(WIDER * max(others), MIN_WHITE * height) or any(
        piece.box.left < middle < piece.box.right for row in rows for piece in row
    ):
        return [rows]
    sides = _side(rows, middle, first=True), _side(rows, middle, first=False)
    if any(sum(len(row) > 1 for row in side) < 2 for side in sides):
        return [rows]
    labels = all(_values(side, 0) <= MAX_VALUES for side in sides)
    if (
        _breaks(rules, rows, left, right)
        or (labels and all(_values(side, -1) >= MIN_VALUES for side in sides))
        or (labels and _rows_alone(sides) >= MIN_ALONE)
    ):
        return list(sides)
    return [rows]


def _rows_alone(sides: tuple[Rows, Rows]) -> int:
    """Return the number of rows that one side has above or below all of the other."""
    (above, below), (other_above, other_below) = (
        [sum(piece.box.middle for piece in side[at]) / len(side[at]) for at in (0, -1)] for side in sides
    )
    first, last = max(above, other_above), min(below, other_below)
    several = [row for side in sides for row in side if len(row) > 1]
    return sum(row[0].box.top > last or row[0].box.bottom < first for row in several)


def _breaks(rules: Rules, rows: Rows, left: float, right: float) -> bool:
    """Return whether level rules end and begin at the white, and none crosses it."""
    top, bottom = (min(piece.box.top for piece in rows[0]), max(piece.box.bottom for piece in rows[-1]))
    level = [rule for rule in rules.level if top <= rule.at <= bottom]
    middle = (left + right) / 2
    return (
        any(rule.end < middle and rule.end > left - (right - left) for rule in level)
        and any(rule.start > middle and rule.start < right + (right - left) for rule in level)
        and not any(rule.start < middle < rule.end for rule in level)
    )


def _side(rows: Rows, middle: float, *, first: bool) -> Rows:
    sides = [[piece for piece in row if (piece.box.center < middle) == first] for row in rows]
    return [row for row in sides if row]


def _values(rows: Rows, at: int) -> float:
    """Return the share of values among the first or the last pieces of rows of several."""
    texts = [row[at].text for row in rows if len(row) > 1]
    return sum(is_value(text) or is_code(text) for text in texts) / max(1, len(texts))
