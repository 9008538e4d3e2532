"""Parts tables that stand beside each other, whose rows would otherwise be read across."""

from collections.abc import Sequence

from inference.tables.pieces import Piece, whites
from inference.tables.rules import Rules
from inference.tables.values import is_value

WIDER = 1.3
"""The width of the white between two tables, at least, as a multiple of that between columns."""
MIN_WHITE = 0.9
"""The same as a multiple of a line's height."""
MIN_ROWS = 3
MIN_VALUES = 0.6
"""The share of values in the columns on either side of labels, at least."""
MAX_VALUES = 0.2
"""The share of values in a column of labels, at most."""

Rows = Sequence[list[Piece]]


def parted(rows: Rows, rules: Rules, height: float) -> list[Rows]:
    """Return the rows of each table, from left to right."""
    several = [row for row in rows if len(row) > 1]
    found = [white for white in whites(several, 0.0) if white[1] - white[0] >= MIN_WHITE * height]
    if len(several) < MIN_ROWS or len(found) < MIN_ROWS:
        return [rows]
    left, right = max(found, key=lambda white: white[1] - white[0])
    others = [white[1] - white[0] for white in found if white != (left, right)]
    middle = (left + right) / 2
    if right - left < WIDER * max(others) or any(
        piece.box.left < middle < piece.box.right for row in rows for piece in row
    ):
        return [rows]
    sides = [_side(rows, middle, first=True), _side(rows, middle, first=False)]
    between = [
        [white for white in found if (white[0] < middle) == first and white != (left, right)] for first in (True, False)
    ]
    if not all(between):
        return [rows]
    starts = [_column(sides[0], float("-inf"), between[0][0][0]), _column(sides[1], middle, between[1][0][0])]
    ends = [_column(sides[0], between[0][-1][1], middle), _column(sides[1], between[1][-1][1], float("inf"))]
    labels = all(_values(texts) <= MAX_VALUES for texts in starts)
    if _breaks(rules, rows, left, right) or (labels and all(_values(texts) >= MIN_VALUES for texts in ends)):
        return sides
    return [rows]


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


def _column(rows: Rows, left: float, right: float) -> list[str]:
    return [piece.text for row in rows for piece in row if left <= piece.box.center <= right]


def _values(texts: Sequence[str]) -> float:
    return sum(map(is_value, texts)) / max(1, len(texts))
