"""Tensors with the names and the JSON form of the Open Inference Protocol."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from inference.core.contracts import Json, WorkOutput, WorkRefused
from inference.core.errors import ModelFailed

Array = npt.NDArray[Any]

VECTORS = "embedding"
"""The name of the tensor that holds the vectors of texts."""
VECTOR_DECIMALS = 8

MAX_OUTPUT_VALUES = 10_000_000
"""The most values of an output. An answer is JSON, and a larger one would take gigabytes to write."""

# This maps ONNX Runtime's name for a type to the protocol's name.
DATATYPES: Mapping[str, str] = {
    "tensor(bool)": "BOOL",
    **{f"tensor({sign}{bits})": f"{sign.upper()}{bits}" for sign in ("uint", "int") for bits in (8, 16, 32, 64)},
    "tensor(float16)": "FP16",
    "tensor(float)": "FP32",
    "tensor(double)": "FP64",
    "tensor(string)": "BYTES",
}


@dataclass(frozen=True, slots=True)
class NodeArg:
    """A named input or output as ONNX Runtime declares it. Dimensions that vary are names or None."""

    name: str
    type: str
    shape: tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True)
class TensorSpec:
    name: str
    datatype: str
    shape: tuple[int, ...]
    """The sizes, with -1 if any size is accepted. ONNX Runtime gives no shape for an output whose shape the file leaves
    open, so an empty shape does not restrict an output.
    """

    def as_json(self) -> dict[str, Json]:
        return {"name": self.name, "datatype": self.datatype, "shape": list(self.shape)}

    def check(self, tensor: Array) -> None:
        """Check a tensor that a caller gave."""
        mismatch = self._mismatch(tensor)
        if mismatch is not None:
            raise WorkRefused("invalid_tensor", f"'{self.name}' must {mismatch}")

    def check_output(self, value: Any) -> None:
        """Check a value that a model gave."""
        if not isinstance(value, np.ndarray):
            raise ModelFailed("model_output_invalid", f"output '{self.name}' is a {type(value).__name__}, not a tensor")
        mismatch = self._mismatch(value, any_shape=not self.shape)
        if mismatch is not None:
            raise ModelFailed("model_output_invalid", f"output '{self.name}' must by its declaration {mismatch}")

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
        raise ModelFailed("model_not_servable", f"'{node.name}' is a {node.type}, which no protocol here carries")
    return TensorSpec(node.name, DATATYPES[node.type], tuple(_size(size) for size in node.shape))


def output_shapes(signature: Mapping[str, Json]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the outputs in a signature by name, without those that the file leaves open."""
    return {
        output["name"]: tuple(output["shape"])
        for output in signature.get("outputs", ())
        if output.get("shape") is not None
    }


def _size(size: int | str | None) -> int:
    return size if isinstance(size, int) and size >= 0 else -1


def datatype_of(tensor: Array) -> str | None:
    """Return the protocol's name, or None for a type that it does not have."""
    if tensor.dtype.kind in "OUS":
        return "BYTES"
    return _datatype_of_numbers(tensor.dtype)


@lru_cache(maxsize=64)
def _datatype_of_numbers(dtype: "np.dtype[Any]") -> str | None:
    """Return the protocol's name, cached: NumPy builds a type's name anew, and every call needs several."""
    name = dtype.name.upper().replace("FLOAT", "FP")
    return name if name in DATATYPES.values() else None


def aligned(values: Array) -> Array:
    """Return the values in aligned memory. They may be read in place from a message. `require` is ten times slower."""
    return values if values.flags.aligned else values.copy()


def own_tensor(value: Array) -> Array:
    """Copy a model's output to memory of its own, because the output of a run is in its session's arena."""
    return np.array(value)


def written(output: WorkOutput) -> WorkOutput:
    """Return the output as JSON: vectors are added to the result, a graph's outputs are put in a list."""
    if output.tensors is None:
        return output
    if output.result:
        result = {**_write_vectors(output.tensors[VECTORS]), **output.result}
    else:
        result = {"outputs": [write_tensor(name, tensor) for name, tensor in output.tensors.items()]}
    return replace(output, result=result, tensors=None)


def rounded(vectors: Array) -> Array:
    """Round to eight decimals. They keep all the precision of a unit vector in float32, in half the characters."""
    return vectors.astype(np.float64).round(VECTOR_DECIMALS)


def _write_vectors(vectors: Array) -> dict[str, Json]:
    return {"embedding" if vectors.ndim == 1 else "embeddings": rounded(vectors).tolist()}


def write_tensor(name: str, value: Array) -> dict[str, Json]:
    """Return a model's output as JSON, with its data flat in row-major order."""
    if value.size > MAX_OUTPUT_VALUES:
        raise ModelFailed(
            "model_output_too_large",
            f"output '{name}' has {value.size} values; at most {MAX_OUTPUT_VALUES} fit",
        )
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        raise ModelFailed("model_output_not_finite", f"output '{name}' holds NaN or infinity, which JSON cannot say")
    return {
        "name": name,
        "shape": list(value.shape),
        "datatype": datatype_of(value),
        "data": value.ravel().tolist(),
    }
