"""Tensors that pass between a host and its parent in an unnamed file in memory, one after another from its start.

Neither side maps the file, so nothing that the other side does to it can end a process.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .values import Array, read_values, values_size, write_values

Json = Any
MAX_TENSORS = 256
MAX_DIMENSIONS = 16


class TensorsTooLarge(ValueError):
    """The error for tensors that are larger than the file may be."""


@dataclass(frozen=True, slots=True)
class Described:
    """A tensor of the file."""

    datatype: str
    shape: tuple[int, ...]
    size: int
    """The number of bytes."""


Layout = tuple[tuple[Any, tuple[int, ...]], ...]


def layout_of(tensors: Iterable[Array]) -> Layout | None:
    """Return all that the descriptions of the tensors depend on, or None for strings, whose sizes vary."""
    layout = tuple([(tensor.dtype, tensor.shape) for tensor in tensors])
    return None if any([dtype.kind in "OUS" for dtype, _shape in layout]) else layout  # noqa: C419  # in the fast path


def put(descriptor: int, tensors: Sequence[Array], max_bytes: int) -> list[Described]:
    """Write the tensors and describe them. Raises TensorsTooLarge, before much is written."""
    total = sum([tensor.nbytes for tensor in tensors])
    if total > max_bytes:
        raise TensorsTooLarge(f"{total} bytes; at most {max_bytes} fit")
    described, offset = [], 0
    for tensor in tensors:
        datatype, values = write_values(tensor)
        if offset + len(values) > max_bytes:
            raise TensorsTooLarge(f"more than {max_bytes} bytes")
        described.append(Described(datatype, tensor.shape, len(values)))
        offset = _write(descriptor, values, offset)
    return described


def take(descriptor: int, described: Sequence[Described]) -> list[Array]:
    """Return copies of the tensors. Raises ValueError for values that are none of their datatype."""
    tensors, offset = [], 0
    for tensor in described:
        raw = np.empty(tensor.size, np.uint8)
        offset = _read(descriptor, raw, offset)
        tensors.append(read_values(tensor.datatype, tensor.shape, raw))
    return tensors


def write_descriptions(described: Sequence[Described]) -> Json:
    return [[tensor.datatype, list(tensor.shape), tensor.size] for tensor in described]


def read_descriptions(descriptions: Json, max_bytes: int) -> list[Described]:
    """Check descriptions, which may be hostile. Raises ValueError."""
    if not isinstance(descriptions, list) or len(descriptions) > MAX_TENSORS:
        raise ValueError("no list of tensors")
    described = [_described(description) for description in descriptions]
    if sum(tensor.size for tensor in described) > max_bytes:
        raise ValueError(f"more than {max_bytes} bytes")
    return described


def _described(description: Json) -> Described:
    if isinstance(description, list) and len(description) == 3:
        datatype, shape, size = description
        is_sound = isinstance(datatype, str) and _is_shape(shape) and type(size) is int and size >= 0
        if is_sound and values_size(datatype, shape) in (size, None):
            return Described(datatype, tuple(shape), size)
    raise ValueError(f"a tensor that is described as {str(description)[:80]}")


def _is_shape(shape: Json) -> bool:
    if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS:
        return False
    return all(type(size) is int and 0 <= size < 2**63 for size in shape)


def _write(descriptor: int, values: bytes | memoryview, offset: int) -> int:
    left = memoryview(values)
    while left:
        written = os.pwrite(descriptor, left, offset)
        left, offset = left[written:], offset + written
    return offset


def _read(descriptor: int, raw: Array, offset: int) -> int:
    left = raw.data
    while left:
        count = os.preadv(descriptor, [left], offset)
        if not count:
            raise ValueError("less was written than described")
        left, offset = left[count:], offset + count
    return offset
