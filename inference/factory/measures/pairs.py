"""Answers of a model and of its variant to the same inputs, and their rows side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from inference.runtime.tensors import Array

Answers = Mapping[str, Array]
MIN_ROWS_FOR_COLUMNS = 8
"""The number of rows from which each column has a center and a spread of its own."""
CONSTANT = 1e-5
"""The spread below which a column is constant, relative to its size. It is some hundred times float32's precision."""
FLOOR = 0.01
"""The least scale of a group, relative to the group with the largest spread."""


class Kind(StrEnum):
    """The kind of a model by its outputs, which decides how answers are compared."""

    EMBEDDING = "embedding"
    TEXT = "text"
    CLASSIFIER = "classifier"
    TENSOR = "tensor"


@dataclass(frozen=True, slots=True)
class Pair:
    """The answers to one sample."""

    sample: str
    group: str
    rows: int
    reference: Answers
    variant: Answers


@dataclass(frozen=True, slots=True)
class Measure:
    """A measured value. It is the worst of all outputs, and `sample` is where it was found if it is a single place."""

    name: str
    value: float
    output: str = ""
    sample: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """The rows of an output that can be compared with each other: those of a group whose sizes agree."""

    output: str
    group: str
    reference: Array
    """A matrix with a line for each row, as float64 for numbers."""
    variant: Array
    samples: Sequence[str]
    """The name of the sample of each row."""

    @property
    def numeric(self) -> bool:
        return self.reference.dtype != object

    @property
    def difference(self) -> Array:
        result: Array = np.abs(self.variant - self.reference)
        return result

    @property
    def deviations(self) -> Array:
        """Return the mean absolute deviation of each column from its median over the rows.

        With few rows, the median of all values stands for that of each column.
        """
        axis = 0 if len(self.reference) >= MIN_ROWS_FOR_COLUMNS else None
        result: Array = np.abs(self.reference - np.median(self.reference, axis=axis)).mean(axis=0)
        return result

    @property
    def varies(self) -> bool:
        """Return whether the answers depend on the inputs at all."""
        if not self.numeric:
            return len(set(map(tuple, self.reference.tolist()))) > 1
        if len(self.reference) < 2:
            return bool(np.ptp(self.reference) > 0) if self.reference.size else False
        size = np.abs(self.reference).max(axis=0, initial=0)
        return bool((np.ptp(self.reference, axis=0) > CONSTANT * size).any())


def blocks_of(pairs: Sequence[Pair], output: str) -> list[Block]:
    """Return the rows of the output by group and size. A number that is not finite in the reference counts as zero."""
    parts: dict[tuple[str, tuple[int, ...]], list[tuple[Array, Array, str]]] = {}
    has_rows = all(pair.reference[output].shape[:1] == (pair.rows,) for pair in pairs)
    for pair in pairs:
        own, other = pair.reference[output], pair.variant[output]
        key = pair.group, own.shape[1:] if has_rows else own.shape
        rows = pair.rows if has_rows else 1
        parts.setdefault(key, []).append((own.reshape(rows, -1), other.reshape(rows, -1), pair.sample))
    return [
        Block(
            output,
            group,
            *_comparable(np.concatenate([part[0] for part in own]), np.concatenate([part[1] for part in own])),
            samples=[name for reference, _, name in own for _ in range(len(reference))],
        )
        for (group, _), own in parts.items()
    ]


def _comparable(reference: Array, variant: Array) -> tuple[Array, Array]:
    if reference.dtype.kind in "OUS":
        return reference.astype(object), variant.astype(object)
    exact, other = reference.astype(np.float64), variant.astype(np.float64)
    unusable = ~np.isfinite(exact) | ~np.isfinite(other)
    return np.where(unusable, 0, exact), np.where(unusable, 0, other)


def outputs_of(pairs: Sequence[Pair]) -> Iterator[str]:
    yield from pairs[0].reference
