"""Read and write tensors of the protocol's binary extension: little-endian values in row order, and each text after its
length.
"""

import math
import struct
from collections.abc import Iterator

import numpy as np

from inference.core.contracts import Json
from inference.gateway.open_inference.errors import InvalidRequest
from inference.runtime.tensor_requests import NUMPY_TYPES, check_form
from inference.runtime.tensors import Array, aligned

BYTES = "BYTES"
MAX_TEXTS = 100_000
"""The most texts of a tensor. Each text takes far more memory than its bytes."""
_LENGTH = struct.Struct("<I")


def read_binary(name: str, datatype: str, shape: list[Json], buffer: memoryview) -> Array:
    """Read a tensor from its bytes. Raises InvalidRequest, and WorkRefused if the data is not a tensor in any form."""
    check_form(name, datatype, shape)
    count = math.prod(shape)
    if datatype == BYTES:
        return _shaped(name, _texts(name, count, buffer), shape)
    dtype = NUMPY_TYPES[datatype].newbyteorder("<")
    if count * dtype.itemsize != len(buffer):
        raise InvalidRequest(
            f"'{name}' has {len(buffer)} bytes; {datatype} of the shape {shape} takes {count * dtype.itemsize}."
        )
    if datatype == "BOOL" and count and np.frombuffer(buffer, np.uint8).max() > 1:
        raise InvalidRequest(f"'{name}' is BOOL, and holds bytes that are neither 0 nor 1.")
    values = np.frombuffer(buffer, dtype) if count else np.empty(0, dtype)
    # The values may begin at any offset, because they follow the JSON.
    return _shaped(name, aligned(values), shape)


def write_binary(tensor: Array) -> bytes:
    if tensor.dtype.kind == "O":
        return b"".join(_with_lengths(tensor))
    return np.ascontiguousarray(tensor, tensor.dtype.newbyteorder("<")).tobytes()


def _shaped(name: str, values: Array, shape: list[Json]) -> Array:
    try:
        return values.reshape(shape)
    except ValueError as error:
        raise InvalidRequest(f"'{name}' cannot have the shape {shape}: {error}.") from error


def _texts(name: str, count: int, buffer: memoryview) -> Array:
    if count * _LENGTH.size > len(buffer):
        raise InvalidRequest(f"'{name}' has {len(buffer)} bytes, too few for {count} values with their lengths.")
    if count > MAX_TEXTS:
        raise InvalidRequest(f"'{name}' has {count} texts; at most {MAX_TEXTS} are taken in one request.")
    texts = np.empty(count, object)
    start = 0
    for position in range(count):
        texts[position], start = _text(name, position, buffer, start)
    if start != len(buffer):
        raise InvalidRequest(f"'{name}' has {len(buffer) - start} bytes after its {count} values.")
    return texts


def _text(name: str, position: int, buffer: memoryview, start: int) -> tuple[str, int]:
    begin = start + _LENGTH.size
    end = begin + (_LENGTH.unpack_from(buffer, start)[0] if begin <= len(buffer) else 0)
    if max(begin, end) > len(buffer):
        raise InvalidRequest(f"Value {position} of '{name}' runs over the end of its bytes.")
    try:
        return str(buffer[begin:end], "utf-8"), end
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"Value {position} of '{name}' is not UTF-8: {error.reason}.") from error


def _with_lengths(tensor: Array) -> Iterator[bytes]:
    for value in tensor.ravel().tolist():
        content = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
        yield _LENGTH.pack(len(content))
        yield content
