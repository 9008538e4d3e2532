"""Tensors as the Open Inference Protocol names and writes them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from inference.core.contracts import Json, WorkOutput, WorkRefused
from inference.core.errors import ModelFailed

Array = npt.NDArray[Any]

VECTORS = "embedding"
"""The name under which texts' vectors travel."""
VECTOR_DECIMALS = 8

MAX_OUTPUT_VALUES = 10_000_000
"""An answer is JSON: beyond this it would take gigabytes to write."""

# ONNX Runtime's name for a type -> the protocol's.
DATATYPES: Mapping[str, str] = MappingProxyType(
    {
        "tensor(bool)": "BOOL",
        "tensor(uint8)": "UINT8",
        "tensor(uint16)": "UINT16",
        "tensor(uint32)": "UINT32",
        "tensor(uint64)": "UINT64",
        "tensor(int8)": "INT8",
        "tensor(int16)": "INT16",
        "tensor(int32)": "INT32",
        "tensor(int64)": "INT64",
        "tensor(float16)": "FP16",
        "tensor(float)": "FP32",
        "tensor(double)": "FP64",
        "tensor(string)": "BYTES",
    }
)

_BY_DTYPE: Mapping[str, str] = MappingProxyType(
    {
        "bool": "BOOL",
        **{f"{sign}{bits}": f"{sign.upper()}{bits}" for sign in ("int", "uint") for bits in (8, 16, 32, 64)},
        **{f"float{bits}": f"FP{bits}" for bits in (16, 32, 64)},
    }
)


@dataclass(frozen=True, slots=True)
class NodeArg:
    """A named input or output as ONNX Runtime declares it; dimensions that vary are names or None."""

    name: str
    type: str
    shape: tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True)
class TensorSpec:
    name: str
    datatype: str
    shape: tuple[int, ...]
    """-1 where any size is accepted. ONNX Runtime gives no shape for an output whose shape the file leaves open, so an
    empty one binds no output."""

    def as_json(self) -> dict[str, Json]:
        return {"name": self.name, "datatype": self.datatype, "shape": list(self.shape)}

    def check(self, tensor: Array) -> None:
        """As a caller gave it."""
        mismatch = self._mismatch(tensor)
        if mismatch is not None:
            raise WorkRefused("invalid_tensor", f"'{self.name}' must {mismatch}")

    def check_output(self, value: Any) -> None:
        """As a model gave it."""
        if not isinstance(value, np.ndarray):
            raise ModelFailed(
                "model_output_invalid", f"output '{self.name}' is a {type(value).__name__}, not a tensor"
            )
        mismatch = self._mismatch(value, any_shape=not self.shape)
        if mismatch is not None:
            raise ModelFailed(
                "model_output_invalid", f"output '{self.name}' must by its declaration {mismatch}"
            )

    def _mismatch(self, tensor: Array, *, any_shape: bool = False) -> str | None:
        got = datatype_of(tensor)
        if got != self.datatype:
            return f"be {self.datatype}, not {got or tensor.dtype}"
        fits = len(tensor.shape) == len(self.shape) and all(
            expected in (-1, size) for expected, size in zip(self.shape, tensor.shape, strict=True)
        )
        if fits or any_shape:
            return None
        return f"have shape {list(self.shape)}, not {list(tensor.shape)}"


def tensor_spec(node: NodeArg) -> TensorSpec:
    if node.type not in DATATYPES:
        raise ModelFailed(
            "model_not_servable", f"'{node.name}' is a {node.type}, which no protocol here carries"
        )
    return TensorSpec(node.name, DATATYPES[node.type], tuple(_size(size) for size in node.shape))


def _size(size: int | str | None) -> int:
    return size if isinstance(size, int) and size >= 0 else -1


def datatype_of(tensor: Array) -> str | None:
    """The protocol's name; None for types it does not have."""
    if tensor.dtype.kind in "OUS":
        return "BYTES"
    return _datatype_of_numbers(tensor.dtype)


@lru_cache(maxsize=64)
def _datatype_of_numbers(dtype: "np.dtype[Any]") -> str | None:
    """Remembered, as NumPy puts a type's name together anew each time: every call asks for several."""
    return _BY_DTYPE.get(dtype.name)


def aligned(values: Array) -> Array:
    """For numbers that were read where they lay in a message. NumPy's `require` takes ten times as long to see that."""
    return values if values.flags.aligned else values.copy()


def own_tensor(value: Array) -> Array:
    """A model's output in memory of its own: what a run gives lies in its session's arena."""
    return np.array(value)


def written(output: WorkOutput) -> WorkOutput:
    """Its tensors as JSON, where it has any: vectors beside what is said of them, a graph's outputs in a list."""
    if output.tensors is None:
        return output
    if output.result:
        result = {**_write_vectors(output.tensors[VECTORS]), **output.result}
    else:
        result = {"outputs": [write_tensor(name, tensor) for name, tensor in output.tensors.items()]}
    return replace(output, result=result, tensors=None)


def rounded(vectors: Array) -> Array:
    """Eight decimals keep all that a float32 of a unit vector says, in half the characters."""
    return vectors.astype(np.float64).round(VECTOR_DECIMALS)


def _write_vectors(vectors: Array) -> dict[str, Json]:
    return {"embedding" if vectors.ndim == 1 else "embeddings": rounded(vectors).tolist()}


def write_tensor(name: str, value: Array) -> dict[str, Json]:
    """A model's output as JSON, its data flat in row-major order."""
    if value.size > MAX_OUTPUT_VALUES:
        raise ModelFailed(
            "model_output_too_large",
            f"output '{name}' has {value.size} values; at most {MAX_OUTPUT_VALUES} fit",
        )
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        raise ModelFailed(
            "model_output_not_finite", f"output '{name}' holds NaN or infinity, which JSON cannot say"
        )
    return {
        "name": name,
        "shape": list(value.shape),
        "datatype": datatype_of(value),
        "data": value.ravel().tolist(),
    }
