"""Tensors that callers write in JSON. They are read and checked before a model is used."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inference.core.contracts import Json, TensorInput, TextInput, TokenInput, WorkInput, WorkRefused
from inference.runtime.tensors import Array, TensorSpec
from inference.runtime.texts import check_texts, check_tokens
from tenants.core.messages import names_in_words, sizes_in_words, value_in_words

MAX_DIMENSIONS = 16
LARGEST_SIZE = 2**40
"""The largest size of a dimension. Numbers in JSON have no limit, and Python writes out only so many digits."""

NUMPY_TYPES: Mapping[str, np.dtype[Any]] = {
    "BOOL": np.dtype(np.bool_),
    "FP16": np.dtype(np.float16),
    "FP32": np.dtype(np.float32),
    "FP64": np.dtype(np.float64),
    "BYTES": np.dtype(object),
    **{f"{sign}INT{bits}": np.dtype(f"{sign.lower()}int{bits}") for sign in ("", "U") for bits in (8, 16, 32, 64)},
}


def read_tensors(written: Sequence[object]) -> dict[str, Array]:
    tensors: dict[str, Array] = {}
    for position, item in enumerate(written):
        name, tensor = read_tensor(item, f"tensors[{position}]")
        if name in tensors:
            raise _refused(f"'{name}' is given twice")
        tensors[name] = tensor
    return tensors


def validate_input(signature: Mapping[str, Json], work: WorkInput) -> None:
    """Check what can be decided from the declared signature alone. The model checks the rest itself."""
    match work:
        case TextInput():
            check_texts(work)
        case TokenInput():
            check_tokens(work)
        case TensorInput(tensors=tensors):
            _validate_tensors(signature, tensors)


def _validate_tensors(signature: Mapping[str, Json], tensors: Mapping[str, Array]) -> None:
    declared = [
        TensorSpec(str(tensor["name"]), str(tensor["datatype"]), tuple(tensor["shape"]))
        for tensor in signature.get("inputs", ())
    ]
    expected = {spec.name: spec for spec in declared}
    if set(expected) != set(tensors):
        raise _refused(
            f"expected the tensors {names_in_words(sorted(expected))}; got {names_in_words(sorted(tensors))}"
        )
    for name, tensor in tensors.items():
        expected[name].check(tensor)


def read_tensor(item: object, where: str) -> tuple[str, Array]:
    match item:
        case {"name": str(name), "datatype": str(datatype), "shape": list(shape), "data": list(data)}:
            return name, _array(name, datatype, shape, data)
    raise _refused(f"{where} must be an object with name, datatype, shape and data")


def check_form(name: str, datatype: str, shape: list[Json]) -> None:
    """Check the datatype and shape of a tensor whose values are still to be read."""
    if datatype not in NUMPY_TYPES:
        raise _refused(f"'{name}' has the unknown datatype {datatype[:20]!r}; use one of {', '.join(NUMPY_TYPES)}")
    if len(shape) > MAX_DIMENSIONS or not all(type(size) is int and 0 <= size <= LARGEST_SIZE for size in shape):
        raise _refused(
            f"'{name}' has the shape {sizes_in_words(shape[:MAX_DIMENSIONS])}; it must be a list of at most "
            f"{MAX_DIMENSIONS} sizes"
        )


def _array(name: str, datatype: str, shape: list[Json], data: list[Json]) -> Array:
    check_form(name, datatype, shape)
    flat = list(_flattened(data))
    if len(flat) != math.prod(shape):
        raise _refused(f"'{name}' has {len(flat)} values, but the shape {shape} needs {math.prod(shape)}")
    _check_values(name, datatype, flat)
    try:
        with np.errstate(over="ignore"):
            tensor = np.array(flat, dtype=NUMPY_TYPES[datatype]).reshape(shape)
    except (ValueError, TypeError, OverflowError) as error:
        raise _refused(f"'{name}' holds a value that is not {datatype}: {error}") from error
    if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
        beyond = flat[int(np.argmin(np.isfinite(tensor.ravel())))]
        raise _refused(
            f"'{name}' holds {value_in_words(beyond)}, which is out of range for {datatype}; send smaller numbers"
        )
    return tensor


def _check_values(name: str, datatype: str, flat: Sequence[Json]) -> None:
    """Check the types of the values. NumPy would silently turn "1" into 1.0, 1.7 into 1 and True into 1."""
    if datatype == "BYTES":
        kinds: tuple[type, ...] = (str,)
    elif datatype == "BOOL":
        kinds = (bool,)
    else:
        kinds = (int, float) if datatype.startswith("FP") else (int,)
    odd = next((v for v in flat if not isinstance(v, kinds) or (isinstance(v, bool) and bool not in kinds)), None)
    if odd is not None or any(value is None for value in flat):
        raise _refused(f"'{name}' holds {value_in_words(odd)}, which is not {datatype}")


def _flattened(data: list[Json]) -> Any:
    """Yield nested or flat data in row-major order, without recursion, so that deep nesting does no harm."""
    stack = [iter(data)]
    while stack:
        for item in stack[-1]:
            if isinstance(item, list):
                if len(stack) > MAX_DIMENSIONS:
                    raise _refused(f"data is nested deeper than {MAX_DIMENSIONS}")
                stack.append(iter(item))
                break
            yield item
        else:
            stack.pop()


def _refused(detail: str) -> WorkRefused:
    return WorkRefused("invalid_tensor", detail)
