"""The values of tensors as bytes: numbers as they are, and strings as their lengths and then all their bytes.

It is used on both sides of a sandbox, so it stands on NumPy alone. Errors are ValueErrors.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

ITEMS: Mapping[str, np.dtype[Any]] = {
    "BOOL": np.dtype(np.bool_),
    **{f"FP{bits}": np.dtype(f"<f{bits // 8}") for bits in (16, 32, 64)},
    **{f"INT{bits}": np.dtype(f"<i{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"UINT{bits}": np.dtype(f"<u{bits // 8}") for bits in (8, 16, 32, 64)},
}
"""The datatypes of the Open Inference Protocol whose values have a size."""
_NAMES = {dtype: name for name, dtype in ITEMS.items()}
TEXT, BYTES = "STR", "BYTES"
"""The two kinds of strings: text, which is written in UTF-8, and bytes."""


def write_values(array: Array) -> tuple[str, bytes | memoryview]:
    """Return the datatype and the values, as a view of the array if it holds numbers side by side."""
    if array.dtype.kind in "OUS":
        return write_strings(array.ravel().tolist())
    datatype = _NAMES.get(array.dtype)
    if datatype is None:
        raise ValueError(f"an array of {array.dtype}, which no protocol here carries")
    # A view of bytes: a buffer of half-precision numbers has a format that not all of Python knows.
    return datatype, np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def write_strings(values: Sequence[Any]) -> tuple[str, bytes]:
    kinds = set(map(type, values))
    if kinds <= {str, np.str_}:
        kind = TEXT
        encoded: Sequence[bytes] = [value.encode("utf-8", "surrogatepass") for value in values]
    elif kinds <= {bytes, np.bytes_}:
        kind, encoded = BYTES, values
    else:
        raise ValueError("values that are not all text or all bytes")
    lengths = np.array([len(value) for value in encoded], "<u4").tobytes()
    return kind, b"".join([lengths, *encoded])


def read_strings(kind: str, count: int, buffer: memoryview) -> Array:
    if 4 * count > len(buffer):
        raise ValueError(f"{count} strings in {len(buffer)} bytes")
    ends = 4 * count + np.cumsum(np.frombuffer(buffer[: 4 * count], "<u4"), dtype=np.int64)
    if (int(ends[-1]) if count else 0) != len(buffer):
        raise ValueError(f"{count} strings that do not fill their {len(buffer)} bytes")
    strings = np.empty(count, object)
    start = 4 * count
    for position, end in enumerate(ends.tolist()):
        value = bytes(buffer[start:end])
        strings[position] = value.decode("utf-8", "surrogatepass") if kind == TEXT else value
        start = end
    return strings


def values_size(datatype: str, shape: Sequence[int]) -> int | None:
    """Return the bytes of the values, or None for strings, whose size the shape does not say."""
    if datatype in (TEXT, BYTES):
        return None
    if datatype not in ITEMS:
        raise ValueError(f"the unknown datatype {datatype[:20]!r}")
    return math.prod(shape) * ITEMS[datatype].itemsize


def read_values(datatype: str, shape: Sequence[int], raw: Array) -> Array:
    """Return the values in the memory of these bytes, after the checks that hostile values need."""
    if datatype in (TEXT, BYTES):
        return read_strings(datatype, math.prod(shape), raw.data).reshape(shape)
    if datatype == "BOOL" and raw.size and raw.max() > 1:
        raise ValueError("bytes that are not BOOL")
    return raw.view(ITEMS[datatype]).reshape(shape)
