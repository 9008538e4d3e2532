"""Generated inputs for a model without samples: values of several kinds, in ranges that its graph tells."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from inference.factory.golden import GoldenSet, golden_of
from inference.factory.samples import Feeds, SampleInvalid
from inference.runtime.tensors import DATATYPES, Array, NodeArg

MAX_VALUES = 16_000_000
"""The most values of a golden set, over all inputs and both halves."""
MAX_ROWS = 24_000
"""The most rows of both parts. They show a fault of one row in a thousand almost certainly."""
MIN_ROWS, MIN_LARGE_ROWS, MIN_VALUES = 64, 8, 2_000_000
"""The least rows of a kind: 64, or for large rows those that have so many values, but at least 8."""
SEQUENCE_SIZES = (16, 5, 33)
PICTURE_SIZES = (64, 96, 32, 224)
"""The sizes of open dimensions. Many models of pictures need a multiple of 32."""
LEAST_PICTURE, AREA = 16, 8
"""The least size of a side of a picture, and the size of areas of similar values in it."""
WORDS = ("total", "invoice", "the", "Zurich", "a", "", "42", "3.50", "naïve", "NEW YORK", "red", "blue", "no", "yes")


@dataclass(frozen=True, slots=True)
class Hint:
    """The knowledge about the values of an input that its graph tells."""

    low: int | None = None
    """The lowest whole number, and the highest."""
    high: int | None = None
    words: tuple[str, ...] = ()
    center: Array | None = None
    """The usual value of each number of a row, and its usual deviation. One number stands for all."""
    deviation: Array | None = None


NO_HINTS: Mapping[str, Hint] = {}
Draw = Callable[[np.random.Generator, Sequence[int]], Array]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of values. Numbers with a fraction and whole numbers are drawn in their own ways."""

    name: str
    share: float
    fractions: Draw
    highest: int
    """The largest whole number where the graph does not limit it."""


def _sparse(generator: np.random.Generator, shape: Sequence[int]) -> Array:
    return generator.standard_normal(shape) * (generator.random(shape) < 0.2)


KINDS = (
    Kind("normal", 0.6, lambda generator, shape: generator.standard_normal(shape), 1),
    Kind("uniform", 0.15, lambda generator, shape: generator.random(shape), 9),
    Kind("sparse", 0.15, _sparse, 1),
    Kind("wide", 0.1, lambda generator, shape: 4 * generator.standard_normal(shape), 99),
)


def generate(
    inputs: Sequence[NodeArg],
    hints: Mapping[str, Hint] = NO_HINTS,
    *,
    seed: int,
    max_values: int = MAX_VALUES,
    max_rows: int = MAX_ROWS,
    accepts: Callable[[Feeds], bool] = lambda _feeds: True,
) -> GoldenSet:
    """Generate a golden set. `accepts` says whether the source model runs on inputs, tried once for each kind and size.

    Raise SampleInvalid if the model accepts none of them.
    """
    generator = np.random.default_rng(seed)
    groups: dict[str, list[Feeds]] = {}
    sizes = _free_sizes(inputs)
    for size in sizes:
        for kind in KINDS:
            draw = _Drawing(inputs, hints, kind, size, generator)
            if not accepts(draw.feeds(3)):
                continue
            rows = int(kind.share * min(max_rows, max_values // draw.row_values)) // len(sizes)
            rows = max(rows, min(MIN_ROWS, max(MIN_LARGE_ROWS, MIN_VALUES // draw.row_values)))
            groups[f"{kind.name} {size}" if size else kind.name] = list(draw.batches(rows))
        if groups and size in PICTURE_SIZES:
            break
    if not groups:
        raise SampleInvalid("the model accepts none of the generated inputs; give samples of your own")
    return golden_of(groups, inputs, seed=seed, generated=True)


def _free_sizes(inputs: Sequence[NodeArg]) -> tuple[int, ...]:
    """Return the sizes to try for open dimensions other than the first, or 0 if there are none."""
    open_beside = [node for node in inputs if any(not isinstance(size, int) for size in node.shape[1:])]
    if not open_beside:
        return (0,)
    return PICTURE_SIZES if any(len(node.shape) >= 4 for node in open_beside) else SEQUENCE_SIZES


@dataclass(frozen=True, slots=True)
class _Drawing:
    """The inputs of one kind and one size."""

    inputs: Sequence[NodeArg]
    hints: Mapping[str, Hint]
    kind: Kind
    size: int
    generator: np.random.Generator

    @property
    def row_values(self) -> int:
        return max(1, sum(prod(self._shape(node, 1)) for node in self.inputs))

    def batches(self, rows: int) -> Iterator[Feeds]:
        """Yield inputs with this number of rows in total, or each with as many as the model prescribes."""
        fixed = next((node.shape[0] for node in self.inputs if node.shape and isinstance(node.shape[0], int)), None)
        if fixed is not None or any(not node.shape for node in self.inputs):
            for _ in range(max(MIN_LARGE_ROWS, min(rows, 512) // max(1, fixed or 1))):
                yield self.feeds(1)
            return
        for at in range(0, rows, 1000):
            yield self.feeds(min(1000, rows - at))

    def feeds(self, rows: int) -> Feeds:
        return {node.name: self._values(node, self._shape(node, rows)) for node in self.inputs}

    def _shape(self, node: NodeArg, rows: int) -> list[int]:
        sizes = [size if isinstance(size, int) and size >= 0 else self.size or 1 for size in node.shape]
        if sizes and not isinstance(node.shape[0], int):
            sizes[0] = rows
        return sizes

    def _values(self, node: NodeArg, shape: Sequence[int]) -> Array:
        hint = self.hints.get(node.name, Hint())
        datatype = DATATYPES.get(node.type)
        if datatype is None:
            raise SampleInvalid(f"input {node.name!r} is a {node.type}, which cannot be generated; give samples")
        if "mask" in node.name.lower() and datatype != "BYTES":
            return _mask(self.generator, shape, partly=self.kind.name == "sparse").astype(_numpy_type(datatype))
        match datatype:
            case "BYTES":
                return _texts(self.generator, shape, hint.words)
            case "BOOL":
                return np.asarray(self.generator.random(shape) < 0.5)
            case name if name.startswith("FP"):
                return self._fractions(shape, hint).astype(_numpy_type(name))
            case name:
                return self._whole(shape, hint, np.iinfo(name.lower())).astype(name.lower())

    def _fractions(self, shape: Sequence[int], hint: Hint) -> Array:
        drawn = _drawn(self.kind.fractions, self.generator, shape)
        if hint.deviation is not None:
            drawn = drawn * _fitting(hint.deviation, shape, otherwise=1.0)
        return drawn if hint.center is None else drawn + _fitting(hint.center, shape, otherwise=0.0)

    def _whole(self, shape: Sequence[int], hint: Hint, limits: "np.iinfo[np.signedinteger]") -> Array:
        highest = 255 if limits.bits == 8 and hint.high is None else self.kind.highest
        low = 0 if hint.low is None else hint.low
        high = max(low, min(limits.max, highest if hint.high is None else hint.high))
        return self.generator.integers(low, high, shape, endpoint=True)


def _drawn(draw: Draw, generator: np.random.Generator, shape: Sequence[int]) -> Array:
    """Draw numbers. Those of pictures have areas of similar values, since single points of noise cancel each other."""
    if len(shape) < 4:
        return draw(generator, shape)
    areas = draw(generator, [shape[0], *(-(-size // AREA) if size >= LEAST_PICTURE else size for size in shape[1:])])
    for axis, size in enumerate(shape):
        if areas.shape[axis] != size:
            areas = areas.repeat(AREA, axis=axis).take(range(size), axis=axis)
    return np.where(generator.random(shape) < 0.8, areas, draw(generator, shape))


def _numpy_type(datatype: str) -> str:
    return f"float{datatype[2:]}" if datatype.startswith("FP") else datatype.lower()


def _fitting(values: Array, shape: Sequence[int], *, otherwise: float) -> Array:
    """Return values that fit numbers of this shape, filled up with `otherwise`, or that alone if they are too many."""
    if values.ndim == 1 and shape and 1 < len(values) < shape[-1]:
        values = np.concatenate([values, np.full(shape[-1] - len(values), otherwise)])
    try:
        np.broadcast_to(values, shape)
    except ValueError:
        return np.asarray(otherwise)
    return values


def _mask(generator: np.random.Generator, shape: Sequence[int], *, partly: bool) -> Array:
    """Return ones, or ones with zeros at the end of each row as padding has them."""
    ones = np.ones(shape)
    if partly and len(shape) == 2 and shape[1] > 1:
        lengths = generator.integers(1, shape[1], (shape[0], 1), endpoint=True)
        ones[np.arange(shape[1])[None, :] >= lengths] = 0
    return ones


def _texts(generator: np.random.Generator, shape: Sequence[int], words: Sequence[str]) -> Array:
    """Return texts, most of them words that the graph knows."""
    choices = np.array([*words, *words, *words, *WORDS] if words else WORDS, dtype=object)
    drawn = np.asarray(generator.choice(choices, shape), dtype=object)
    if words:
        return drawn
    suffixes = generator.integers(0, 1000, shape).astype(str).astype(object)
    return np.where(generator.random(shape) < 0.5, drawn, drawn + " " + suffixes)
