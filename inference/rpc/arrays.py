"""Serialize tensors as raw little-endian buffers, and lift long lists of numbers out of JSON."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from inference.core.contracts import Json, WorkRefused
from inference.rpc.errors import MessageMalformed
from inference.rpc.frames import Buffer
from inference.runtime.tensors import Array, aligned, datatype_of

MAX_DIMENSIONS = 16
SHORTEST_LIFTED = 16

ITEMS: Mapping[str, np.dtype[Any]] = {
    "BOOL": np.dtype(np.bool_),
    **{f"FP{bits}": np.dtype(f"<f{bits // 8}") for bits in (16, 32, 64)},
    **{f"INT{bits}": np.dtype(f"<i{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"UINT{bits}": np.dtype(f"<u{bits // 8}") for bits in (8, 16, 32, 64)},
}
_LIFTED: Mapping[type, tuple[str, np.dtype[Any]]] = {
    float: ("f", np.dtype("<f8")),
    int: ("i", np.dtype("<i8")),
}
_LIFTED_AS = dict(_LIFTED.values())


def write_array(name: str, array: Array) -> tuple[list[Json], Buffer]:
    """Return the description of the array for the header, and its values."""
    datatype = datatype_of(array)
    if datatype is None:
        raise WorkRefused("invalid_tensor", f"'{name}' is {array.dtype}, which no protocol here carries")
    shape = list(array.shape)
    if datatype == "BYTES":
        kind, buffer = _write_strings(name, array.ravel().tolist())
        return [name, kind, shape], buffer
    return [name, datatype, shape], array.astype(ITEMS[datatype], copy=False).tobytes()


def read_array(said: Json, buffer: memoryview) -> tuple[str, Array]:
    name, datatype, shape = read_description(said)
    return name, read_values(name, datatype, shape, buffer)


def read_description(said: Json) -> tuple[str, str, tuple[int, ...]]:
    """Return the name, the type and the shape that a header says."""
    match said:
        case [str(name), str(datatype), list(shape)]:
            return name, datatype, _shape(name, shape)
    raise MessageMalformed(f"a tensor that is described as {said!r:.80}")


def read_values(name: str, datatype: str, shape: tuple[int, ...], buffer: memoryview) -> Array:
    try:
        if datatype in ("STR", "BYTES"):
            return _read_strings(datatype, math.prod(shape), buffer).reshape(shape)
        dtype = ITEMS[datatype]
        if math.prod(shape) * dtype.itemsize != len(buffer):
            raise MessageMalformed(f"'{name}' has {len(buffer)} bytes, not those of {datatype} {shape}")
        if datatype == "BOOL" and len(buffer) and np.frombuffer(buffer, np.uint8).max() > 1:
            raise MessageMalformed(f"'{name}' holds bytes that are not BOOL")
        array = np.frombuffer(buffer, dtype) if len(buffer) else np.empty(0, dtype)
        # Our frames are aligned, but the bytes in which a frame lies may not be.
        return aligned(array).reshape(shape)
    except (KeyError, ValueError) as error:
        raise MessageMalformed(f"'{name}' ({datatype}, {shape}) cannot be read: {error}") from error


def _shape(name: str, shape: list[Json]) -> tuple[int, ...]:
    if len(shape) > MAX_DIMENSIONS or not all(type(size) is int and size >= 0 for size in shape):
        raise MessageMalformed(f"'{name}' has the shape {str(shape)[:80]}")
    return tuple(shape)


def _write_strings(name: str, values: list[Any]) -> tuple[str, bytes]:
    """Write the lengths first, then all values one after another."""
    kinds = set(map(type, values))
    if kinds <= {str, np.str_}:
        kind, encoded = "STR", [value.encode("utf-8", "surrogatepass") for value in values]
    elif kinds <= {bytes, np.bytes_}:
        kind, encoded = "BYTES", values
    else:
        raise WorkRefused("invalid_tensor", f"'{name}' holds values that are not all text or all bytes")
    lengths = np.array([len(value) for value in encoded], "<u4").tobytes()
    return kind, b"".join([lengths, *encoded])


def _read_strings(kind: str, count: int, buffer: memoryview) -> Array:
    if 4 * count > len(buffer):
        raise MessageMalformed(f"{count} strings in {len(buffer)} bytes")
    ends = 4 * count + np.cumsum(np.frombuffer(buffer[: 4 * count], "<u4"), dtype=np.int64)
    if (int(ends[-1]) if count else 0) != len(buffer):
        raise MessageMalformed(f"{count} strings that do not fill their {len(buffer)} bytes")
    strings = np.empty(count, object)
    start = 4 * count
    for position, end in enumerate(ends.tolist()):
        value = bytes(buffer[start:end])
        strings[position] = value.decode("utf-8", "surrogatepass") if kind == "STR" else value
        start = end
    return strings


def lift(value: Json) -> tuple[Json, list[Json], list[Buffer]]:
    """Take the long lists of floats or of integers out of the JSON. Return the rest, the positions of the lists, and
    their values.
    """
    lifted: list[Json] = []
    buffers: list[Buffer] = []

    def walk(one: Json, path: tuple[str | int, ...]) -> Json:
        if isinstance(one, Mapping):
            return {key: walk(member, (*path, key)) for key, member in one.items()}
        if not isinstance(one, list | tuple):
            return one
        numbers = _numbers(one)
        if numbers is None:
            return [walk(member, (*path, position)) for position, member in enumerate(one)]
        kind, buffer = numbers
        lifted.append([kind, *path])
        buffers.append(buffer)
        return None

    return walk(value, ()), lifted, buffers


def lower(value: Json, lifted: Json, buffers: Iterator[memoryview]) -> None:
    """Put the lists back in their positions."""
    try:
        for kind, *path, last in lifted:
            holder = value
            for step in path:
                holder = holder[step]
            holder[last] = np.frombuffer(next(buffers), _LIFTED_AS[kind]).tolist()
    except (StopIteration, KeyError, IndexError, TypeError, ValueError) as error:
        raise MessageMalformed(f"lists that have no place in their answer: {error!r}") from error


def _numbers(values: list[Any] | tuple[Any, ...]) -> tuple[str, bytes] | None:
    kinds = set(map(type, values)) if len(values) >= SHORTEST_LIFTED else set()
    lifted = _LIFTED.get(kinds.pop()) if len(kinds) == 1 else None
    if lifted is None:
        return None
    letter, dtype = lifted
    try:
        return letter, np.array(values, dtype).tobytes()
    except OverflowError:
        return None
