"""Rows for the trial of a graph, whose result may depend on how large values are, or on one among many."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inference.runtime.tensors import Array, TensorSpec

ROWS = 5
Draw = Callable[[np.random.Generator, Sequence[int]], Array]
"""A function that draws numbers of a shape, before they are converted to a datatype."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of values, drawn as numbers with a fraction and as whole numbers."""

    name: str
    fractions: Draw
    whole: Draw


def _between(low: float, high: float) -> Draw:
    return lambda generator, shape: generator.uniform(low, high, shape)


def _whole_between(low: int, high: int) -> Draw:
    return lambda generator, shape: generator.integers(low, high, shape, endpoint=True)


def _constant_rows(generator: np.random.Generator, shape: Sequence[int]) -> Array:
    own = generator.integers(0, 10, (shape[0], *[1] * (len(shape) - 1)))
    return np.broadcast_to(own, shape)


def _one_extreme(extreme: float, others: Draw) -> Draw:
    def draw(generator: np.random.Generator, shape: Sequence[int]) -> Array:
        small = others(generator, shape)
        small[shape[0] // 2] = extreme
        return small

    return draw


ORDINARY = Kind("ordinary", lambda generator, shape: generator.standard_normal(shape), _whole_between(0, 1))
"""The usual values. The whole numbers are small, because they are most often an index or a mask."""
KINDS = (
    Kind("bytes", _between(0, 255), _whole_between(0, 255)),
    Kind("shares", _between(0, 1), _whole_between(0, 9)),
    Kind("large", _between(-1e4, 1e4), _whole_between(-10_000, 10_000)),
    Kind("zero", _between(0, 0), _whole_between(0, 0)),
    Kind("negative", _between(-10, 0), _whole_between(-9, -1)),
    Kind("constant", _constant_rows, _constant_rows),
    Kind("one large", _one_extreme(1e4, _between(0, 0.01)), _one_extreme(1000, _whole_between(0, 1))),
    Kind("one below", _one_extreme(-1e4, _between(0, 0.01)), _one_extreme(-1000, _whole_between(0, 1))),
)
"""The other kinds of values. The first are those that show the most, for a trial with capacity for only a few."""


def rows_of(
    inputs: Sequence[TensorSpec],
    count: int,
    free: int,
    generator: np.random.Generator,
    kind: Kind = ORDINARY,
) -> dict[str, Array]:
    """Create rows. `free` is the size of every dimension of any size except the first."""
    return {
        tensor.name: _values(tensor.datatype, [count, *row_shape(tensor, free)], generator, kind) for tensor in inputs
    }


def row_shape(tensor: TensorSpec, free: int) -> list[int]:
    return [free if size == -1 else size for size in tensor.shape[1:]]


def one_of_each(batches: Sequence[Mapping[str, Array]], most: int) -> Iterator[dict[str, Array]]:
    """Yield batches with a row of every kind side by side. In the second batch, each row has other neighbors."""
    picked = [{name: tensor[len(tensor) // 2 :][:1] for name, tensor in batch.items()} for batch in batches[:most]]
    for order in (picked, [*picked[1::2], *picked[::2]]):
        yield {name: np.concatenate([batch[name] for batch in order]) for name in batches[0]}


def _values(datatype: str, shape: Sequence[int], generator: np.random.Generator, kind: Kind) -> Array:
    match datatype:
        case "BYTES":
            return kind.whole(generator, shape).astype(np.int64).astype(str).astype(object)
        case "BOOL":
            return np.array(kind.whole(generator, shape) > 0)
        case name if name.startswith("FP"):
            return kind.fractions(generator, shape).astype(f"float{name[2:]}")
        case name:
            limits = np.iinfo(name.lower())
            return np.clip(kind.whole(generator, shape), limits.min, limits.max).astype(name.lower())
