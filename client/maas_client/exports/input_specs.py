"""The inputs of a model as a person declares them: `ids=int64[batch,seq]:30000`, and values drawn for them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_FORM = re.compile(r"(?P<name>[^=\[\]]+)=(?P<dtype>\w+)\[(?P<axes>[^\[\]]*)\](?::(?P<below>\d+))?")
DTYPES = ("float32", "float64", "float16", "int64", "int32", "int8", "uint8", "bool")
SIZES = ((2, 8), (1, 5), (3, 16))
"""The sizes of the first named axis and of the others, case by case. The first ones are those of the export, for which
torch takes sizes of 1 for constants."""


@dataclass(frozen=True)
class InputSpec:
    name: str
    dtype: str
    axes: tuple[int | str, ...]
    """The sizes. A word is an axis of any size, and the same word is always the same size."""
    below: int = 2
    """The limit of integers: they are drawn from 0 to below it."""

    @classmethod
    def parsed(cls, text: str) -> "InputSpec":
        """Parse the declaration. Raises ValueError with what is wrong."""
        found = _FORM.fullmatch(text)
        if not found:
            raise ValueError(f"{text!r} is no input such as x=float32[batch,3,224,224] or ids=int64[batch,seq]:30000")
        if found["dtype"] not in DTYPES:
            raise ValueError(f"{found['dtype']!r} is none of the types {', '.join(DTYPES)}")
        axes = tuple(int(axis) if axis.isdecimal() else axis for axis in _words(found["axes"]))
        return cls(found["name"], found["dtype"], axes, int(found["below"] or 2))

    def dynamic(self) -> tuple[int, ...]:
        return tuple(number for number, axis in enumerate(self.axes) if isinstance(axis, str))


def drawn(specs: Sequence[InputSpec], case: int) -> dict[str, Array]:
    draw = np.random.default_rng(case)
    sizes = _sizes(specs, case)
    return {spec.name: _values(spec, [_size(axis, sizes) for axis in spec.axes], draw) for spec in specs}


def _sizes(specs: Sequence[InputSpec], case: int) -> Mapping[str, int]:
    words = list(dict.fromkeys(axis for spec in specs for axis in spec.axes if isinstance(axis, str)))
    first, others = SIZES[case]
    return {word: first if number == 0 else others + number - 1 for number, word in enumerate(words)}


def _size(axis: int | str, sizes: Mapping[str, int]) -> int:
    return axis if isinstance(axis, int) else sizes[axis]


def _values(spec: InputSpec, shape: Sequence[int], draw: np.random.Generator) -> Array:
    if spec.dtype.startswith("float"):
        return draw.normal(size=shape).astype(spec.dtype)
    return draw.integers(0, 2 if spec.dtype == "bool" else spec.below, shape).astype(spec.dtype)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")] if text.strip() else []
