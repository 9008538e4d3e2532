"""Read the values of a request's inputs, which are in separate bytes or one by one in the message."""

import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from inference.core.contracts import Json
from inference.gateway.open_inference.binary import BYTES, MAX_TEXTS, read_binary
from inference.gateway.open_inference.errors import InvalidRequest
from inference.runtime.tensor_requests import NUMPY_TYPES, check_form
from inference.runtime.tensors import Array

CONTENTS: Mapping[str, str] = {
    "BOOL": "bool_contents",
    **{f"INT{bits}": "int_contents" for bits in (8, 16, 32)},
    "INT64": "int64_contents",
    **{f"UINT{bits}": "uint_contents" for bits in (8, 16, 32)},
    "UINT64": "uint64_contents",
    "FP32": "fp32_contents",
    "FP64": "fp64_contents",
    BYTES: "bytes_contents",
}
"""The field of InferTensorContents that has the values of each type. FP16 has none, so its values can be sent only as
bytes.
"""
AT_ONCE = 65_536
"""The number of values that are read at a time, because reading them blocks every thread of the process."""


class MessageValues:
    def __init__(self, inputs: Sequence[Any], raw: Sequence[memoryview]) -> None:
        """Take the inputs, which are messages, and the separate bytes."""
        if raw and len(raw) != len(inputs):
            raise InvalidRequest(
                f"The request has {len(inputs)} inputs and {len(raw)} raw_input_contents; send one for each input, or "
                "none at all."
            )
        self._inputs = inputs
        self._raw = raw
        self._texts = 0

    def tensor(self, position: int, one: Mapping[str, Json], where: str) -> Array:
        contents = self._inputs[position].contents
        name, datatype, shape = one["name"], one["datatype"], one["shape"]
        check_form(name, datatype, shape)
        filled = [field.name for field, _ in contents.ListFields()]
        if self._raw and filled:
            raise InvalidRequest(f"{where} has both {filled[0]} and raw_input_contents; one of them is wanted.")
        if self._raw:
            tensor = read_binary(name, datatype, shape, self._raw[position])
        else:
            tensor = _written_out(name, datatype, shape, contents, filled)
        self._texts += tensor.size if datatype == BYTES else 0
        if self._texts > MAX_TEXTS:
            raise InvalidRequest(f"There are more than {MAX_TEXTS} texts in the request; send fewer at a time.")
        return tensor

    def check_end(self) -> None:
        """Do nothing: each input has its own bytes, and their number was checked at the beginning."""


def _written_out(name: str, datatype: str, shape: list[Json], contents: Any, filled: list[str]) -> Array:
    field = CONTENTS.get(datatype)
    if field is None:
        raise InvalidRequest(f"'{name}' is {datatype}, whose values travel as bytes, in raw_input_contents.")
    odd = next((one for one in filled if one != field), None)
    if odd is not None:
        raise InvalidRequest(f"'{name}' is {datatype}, whose values belong into {field}; it has {odd}.")
    values = getattr(contents, field)
    if len(values) != math.prod(shape):
        raise InvalidRequest(f"'{name}' has {len(values)} values, but the shape {shape} holds {math.prod(shape)}.")
    if datatype == BYTES:
        return _texts(name, values).reshape(shape)
    return _numbers(name, datatype, values).reshape(shape)


def _numbers(name: str, datatype: str, values: Any) -> Array:
    dtype = NUMPY_TYPES[datatype]
    tensor = np.empty(len(values), dtype)
    following = iter(values)
    try:
        for start in range(0, len(values), AT_ONCE):
            size = min(AT_ONCE, len(values) - start)
            tensor[start : start + size] = np.fromiter(islice(following, size), dtype, size)
    except OverflowError as error:
        raise InvalidRequest(f"'{name}' holds a value that is not {datatype}: {error}.") from error
    return tensor


def _texts(name: str, values: Sequence[bytes]) -> Array:
    if len(values) > MAX_TEXTS:
        raise InvalidRequest(f"'{name}' has {len(values)} texts; at most {MAX_TEXTS} are taken in one request.")
    texts = np.empty(len(values), object)
    for position, value in enumerate(values):
        try:
            texts[position] = value.decode()
        except UnicodeDecodeError as error:
            raise InvalidRequest(f"Value {position} of '{name}' is not UTF-8: {error.reason}.") from error
    return texts
