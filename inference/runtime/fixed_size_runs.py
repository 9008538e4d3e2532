"""Runs of a fixed size, for devices on which the last bits of a row depend on how many rows are beside it.

On a GPU, cuBLAS and cuDNN choose their algorithm by the shape alone. If every run has the same shape, whatever came
together in it, a row's answer no longer depends on the other rows. An H100 takes one and a half times as long for
sixteen rows as for a single row.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from inference.runtime.batched import EMBED_LIMITS
from inference.runtime.row_independence import padded_to
from inference.runtime.tensors import Array
from inference.runtime.texts import WINDOW_TOKENS

WHOLE_ROWS = 16
"""The number of rows in a run. Operators never choose it, because another number gives other last bits."""

WHOLE_LENGTHS = (32, 64, 128, WINDOW_TOKENS)
WHOLE_TOKENS = 1024
"""The padded tokens of each run of texts, up to the most rows. A single text takes an H100 nearly as long."""

RunRows = Callable[[Mapping[str, Array]], Sequence[Array]]


def whole_length(tokens: int) -> int:
    """Return the length that a text is padded to, whatever shares its run. Every other length gives other last bits."""
    return next(length for length in WHOLE_LENGTHS if tokens <= length)


def whole_rows(length: int) -> int:
    """Return the number of rows in a run of texts of this length."""
    return min(EMBED_LIMITS.max_rows, WHOLE_TOKENS // length)


def in_whole_runs(run: RunRows, rows: int = WHOLE_ROWS) -> RunRows:
    """Return a function that calls `run` with exactly `rows` rows at a time, filled up with the last row."""

    def run_whole(feeds: Mapping[str, Array]) -> list[Array]:
        count = len(next(iter(feeds.values())))
        parts = [
            [_without_padding(answer, rows, count - start) for answer in run(_part(feeds, start, rows))]
            for start in range(0, count, rows)
        ]
        return parts[0] if len(parts) == 1 else [np.concatenate(answers) for answers in zip(*parts, strict=True)]

    return run_whole


def _part(feeds: Mapping[str, Array], start: int, rows: int) -> dict[str, Array]:
    return {name: padded_to(tensor[start : start + rows], rows) for name, tensor in feeds.items()}


def _without_padding(answer: Array, rows: int, wanted: int) -> Array:
    """Remove the padding rows. An answer with another number of rows stays, so that the count is noticed."""
    return answer[:wanted] if answer.shape[:1] == (rows,) else answer
