"""Errors of any output, relative to how much the source's answers vary."""

from collections.abc import Iterator, Sequence

import numpy as np

from inference.factory.measures.pairs import FLOOR, MIN_ROWS_FOR_COLUMNS, Block, Measure

COLUMN_FLOOR = 0.25
"""The least spread of a column, relative to the mean of all columns. The error of a constant column means little."""


def measure_tensor(blocks: Sequence[Block]) -> Iterator[Measure]:
    """Yield the worst errors of an output over its groups.

    An error is divided by the mean absolute deviation of the source's answers from their median. A constant answer has
    an error of at least 1, however large the numbers are.
    """
    if not blocks[0].numeric:
        yield _changed(blocks)
        return
    used = [block for block in blocks if block.reference.size]
    spreads = [float(block.deviations.mean()) for block in used]
    largest = max(spreads, default=0.0)
    errors = [
        measure
        for block, spread in zip(used, spreads, strict=True)
        for measure in _errors(block, max(spread, FLOOR * largest) or 1.0)
    ]
    for name in dict.fromkeys(measure.name for measure in errors):
        yield max((measure for measure in errors if measure.name == name), key=lambda measure: measure.value)


def _errors(block: Block, scale: float) -> Iterator[Measure]:
    difference = block.difference
    worst = difference.max(axis=1)
    at = block.samples[int(worst.argmax())]
    yield Measure("relative_error_mean", float(difference.mean() / scale), block.output, block.group)
    yield Measure("relative_error_p99", float(np.quantile(difference, 0.99) / scale), block.output, block.group)
    yield Measure("relative_error_max", float(worst.max() / scale), block.output, at)
    if len(difference) >= MIN_ROWS_FOR_COLUMNS:
        column = difference.mean(axis=0) / np.maximum(block.deviations, COLUMN_FLOOR * scale)
        yield Measure("column_error_max", float(column.max()), block.output, block.group)


def _changed(blocks: Sequence[Block]) -> Measure:
    """Return the share of values that are not the same, for texts."""
    different = [np.asarray(block.reference != block.variant) for block in blocks]
    total = sum(each.size for each in different)
    rows = ((block, np.flatnonzero(each.any(axis=1))) for block, each in zip(blocks, different, strict=True))
    at = next((block.samples[int(changed[0])] for block, changed in rows if len(changed)), "")
    share = sum(int(each.sum()) for each in different) / max(1, total)
    return Measure("changed_values", share, blocks[0].output, at)
