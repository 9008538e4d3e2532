"""Errors of vectors that stand for a meaning: their angles to the source's, and whether neighbors stay neighbors."""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from inference.factory.measures.pairs import Measure, Pair
from inference.runtime.tensors import Array

NEIGHBORS = 10
MAX_NEIGHBOR_ROWS = 2000
"""The most rows whose neighbors are looked for. The cost grows with the square."""
MIN_WIDTH = 2


def vector_outputs(pairs: Sequence[Pair]) -> list[str]:
    """Return the outputs that hold vectors on their last axis, at least one for each row."""
    return [
        name
        for name, value in pairs[0].reference.items()
        if value.dtype.kind == "f" and value.ndim >= 2 and value.shape[-1] >= MIN_WIDTH
    ]


def measure_embedding(pairs: Sequence[Pair], output: str) -> Iterator[Measure]:
    cosines = [(pair, _cosines(_vectors(pair.reference[output]), _vectors(pair.variant[output]))) for pair in pairs]
    used = [(pair, values) for pair, values in cosines if len(values)]
    by_group: dict[str, list[Array]] = {}
    for pair, values in used:
        by_group.setdefault(pair.group, []).append(values)
    means = {group: float(np.concatenate(values).mean()) for group, values in by_group.items()}
    lowest_pair, lowest = min(used, key=lambda each: float(each[1].min()))
    lowest_group = min(means, key=lambda group: means[group])
    yield Measure("cosine_mean", means[lowest_group], output, lowest_group)
    yield Measure("cosine_min", float(lowest.min()), output, lowest_pair.sample)
    yield Measure("recall_at_10", _recall(pairs, output), output)
    yield Measure("length_change_mean", _length_change(pairs, output), output)


def _vectors(value: Array) -> Array:
    result: Array = np.nan_to_num(value.astype(np.float64).reshape(-1, value.shape[-1]), posinf=0, neginf=0)
    return result


def _cosines(reference: Array, variant: Array) -> Array:
    """Return the cosine of each pair of vectors. Two zero vectors agree, and one differs from any other vector."""
    lengths = np.linalg.norm(reference, axis=1) * np.linalg.norm(variant, axis=1)
    both_zero = ~reference.any(axis=1) & ~variant.any(axis=1)
    cosines: Array = (reference * variant).sum(axis=1) / np.where(lengths == 0, 1, lengths)
    return np.where(both_zero, 1.0, cosines)


def _length_change(pairs: Sequence[Pair], output: str) -> float:
    """Return the mean change of the vectors' lengths as a share. Callers may compare vectors by their dot product."""
    reference = np.concatenate([np.linalg.norm(_vectors(pair.reference[output]), axis=1) for pair in pairs])
    variant = np.concatenate([np.linalg.norm(_vectors(pair.variant[output]), axis=1) for pair in pairs])
    return float(np.abs(variant - reference).mean() / (reference.mean() or 1.0))


def _recall(pairs: Sequence[Pair], output: str) -> float:
    """Return the share of the nearest rows that are the nearest for the variant, too. Queries and rows are its own."""
    reference = _directions([pair.reference[output] for pair in pairs])
    variant = _directions([pair.variant[output] for pair in pairs])
    neighbors = min(NEIGHBORS, len(reference) - 1)
    if neighbors < 1:
        return 1.0
    expected, found = _nearest(reference, neighbors), _nearest(variant, neighbors)
    common = [len(np.intersect1d(one, other)) for one, other in zip(expected, found, strict=True)]
    return float(np.mean(common) / neighbors)


def _directions(values: Sequence[Array]) -> Array:
    """Return a vector of length 1 for each row, evenly chosen. The vectors of a row's tokens are averaged."""
    rows = [row for row in chain.from_iterable(values) if row.size]
    step = -(-len(rows) // MAX_NEIGHBOR_ROWS)
    pooled = np.array([_vectors(row).mean(axis=0) for row in rows[:: max(1, step)]])
    lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
    result: Array = pooled / np.where(lengths == 0, 1, lengths)
    return result


def _nearest(directions: Array, count: int) -> Array:
    similarities = directions @ directions.T
    np.fill_diagonal(similarities, -np.inf)
    result: Array = np.argpartition(-similarities, count - 1, axis=1)[:, :count]
    return result
