"""Sequences of different lengths put into batches so that little is spent on padding."""

from collections.abc import Sequence

Batch = tuple[int, ...]
"""Positions in the list that was given."""


def batches_by_length(
    lengths: Sequence[int], *, max_padded_tokens: int, max_padding_share: float
) -> tuple[Batch, ...]:
    """Every position exactly once, shortest first; a batch's padded size and share of padding are bounded.

    A sequence longer than `max_padded_tokens` makes a batch of its own.
    """
    batches: list[list[int]] = []
    tokens = 0
    for position in sorted(range(len(lengths)), key=lambda position: lengths[position]):
        length = lengths[position]
        padded = length * (len(batches[-1]) + 1) if batches else 0
        wasted = padded - tokens - length
        if not batches or padded > max_padded_tokens or wasted > max_padding_share * padded:
            batches.append([])
            tokens = 0
        batches[-1].append(position)
        tokens += length
    return tuple(map(tuple, batches))
