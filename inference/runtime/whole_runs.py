"""Runs of one size, for devices on which the last bits of a row hang on how many rows stand beside it.

On a GPU, cuBLAS and cuDNN choose their way by the shape alone. Where each run has one shape, whatever came together in
it, a row's answer is its own again; an H100 takes sixteen rows in one and a half times the time of one.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from inference.runtime.own_limits import EMBED_LIMITS
from inference.runtime.row_independence import padded_to
from inference.runtime.tensors import Array
from inference.runtime.texts import WINDOW_TOKENS

WHOLE_ROWS = 16
"""Never an operator's choice: another number has other last bits."""

WHOLE_LENGTHS = (32, 64, 128, WINDOW_TOKENS)
WHOLE_TOKENS = 1024
"""Of every run of texts, unless its rows are the most there may be. An H100 takes nine tenths of the time for a
text alone."""

RunRows = Callable[[Mapping[str, Array]], Sequence[Array]]


def whole_length(tokens: int) -> int:
    """What a text is padded to, whatever its company: every other length has other last bits."""
    return next(length for length in WHOLE_LENGTHS if tokens <= length)


def whole_rows(length: int) -> int:
    """Of a run of texts of this length."""
    return min(EMBED_LIMITS.max_rows, WHOLE_TOKENS // length)


def in_whole_runs(run: RunRows, rows: int = WHOLE_ROWS) -> RunRows:
    """As `run`, in as many runs of exactly so many rows as it takes; the last is filled up with its last row."""

    def run_whole(feeds: Mapping[str, Array]) -> list[Array]:
        count = len(next(iter(feeds.values())))
        parts = [
            [_without_padding(answer, rows, count - start) for answer in run(_part(feeds, start, rows))]
            for start in range(0, count, rows)
        ]
        return (
            parts[0] if len(parts) == 1 else [np.concatenate(answers) for answers in zip(*parts, strict=True)]
        )

    return run_whole


def _part(feeds: Mapping[str, Array], start: int, rows: int) -> dict[str, Array]:
    return {name: padded_to(tensor[start : start + rows], rows) for name, tensor in feeds.items()}


def _without_padding(answer: Array, rows: int, wanted: int) -> Array:
    """One with another number of rows stays as it is: whoever counts them is to see that."""
    return answer[:wanted] if answer.shape[:1] == (rows,) else answer
