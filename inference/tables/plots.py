"""Tells plots from tables: the level lines and numbers of a plot form rows and columns too."""

from collections.abc import Sequence
from itertools import pairwise

from inference.layout.boxes import Box
from inference.tables.values import is_value
from inference.tables.words import Word, rows_of

MIN_TEXT = 0.25
"""The share of the height between two rules that has rows of text, at least. Plots have much white."""
MIN_TICKS = 5
"""The numbers of an axis, at least."""
MIN_STEPS = 4
"""The numbers of a scale at the side, at least."""
UNEVEN = 0.2
"""The difference of two steps of an axis, at most, as a share of the usual one."""


def is_plot(words: Sequence[Word], box: Box) -> bool:
    """Return whether the words in an area whose cells are not all drawn belong to a plot."""
    rows = rows_of(words)
    text = sum(max(word.box.bottom for word in row) - min(word.box.top for word in row) for row in rows)
    return text < MIN_TEXT * box.height or _has_axis(rows) or _has_scale(rows)


def _has_axis(rows: Sequence[Sequence[Word]]) -> bool:
    """Return whether the last row of values is an axis. The years above a table have values below them."""
    with_values = [row for row in rows if 2 * sum(is_value(word.text) for word in row) > len(row)]
    return bool(with_values) and _is_axis(with_values[-1])


def _is_axis(row: Sequence[Word]) -> bool:
    """Return whether a row counts up in even steps."""
    if len(row) < MIN_TICKS or not all(is_value(word.text) for word in row):
        return False
    numbers = [_number(word.text) for word in row]
    known = [number for number in numbers if number is not None]
    if len(known) < len(row):
        return False
    return _are_even(known) and _are_even([word.box.center for word in row])


def _has_scale(rows: Sequence[Sequence[Word]]) -> bool:
    """Return whether the first words count down past or to zero in even steps, as the scale at the side of a plot."""
    firsts = [(row[0].box.middle, _number(row[0].text)) for row in rows]
    ticks = [(middle, number) for middle, number in firsts if number is not None]
    numbers = [-number for _, number in ticks]
    if len(ticks) < MIN_STEPS or 0 not in numbers or len(ticks) < len(rows) / 2:
        return False
    return _are_even(numbers) and _are_even([middle for middle, _ in ticks])


def _are_even(values: Sequence[float]) -> bool:
    """Return whether values grow in steps that are alike."""
    steps = [after - before for before, after in pairwise(values)]
    usual = sum(steps) / len(steps)
    return usual > 0 and all(abs(step - usual) <= UNEVEN * usual for step in steps)


def _number(text: str) -> float | None:
    try:
        return float(text.strip("%€$£ ").replace(",", "."))
    except ValueError:
        return None
