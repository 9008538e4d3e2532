"""Show each model to the protocol as one that takes and returns tensors, whatever input it really reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from inference.core.contracts import Json
from inference.runtime.tensors import TensorSpec

TEXT = "text"
EMBEDDING = "embedding"
RESULT = "result"

Asked = Literal["tensors", "texts", "text", "document"]
PLATFORMS = {"onnx": "onnxruntime_onnx"}
"""The platform names that Triton uses. All other platforms are named after our own runtimes."""


@dataclass(frozen=True, slots=True)
class Face:
    asked: Asked
    """The kind of input, as in a model's `accepts`. A model that reads only documents has no tensors."""
    platform: str
    inputs: tuple[TensorSpec, ...] = ()
    outputs: tuple[TensorSpec, ...] = ()


def face_of(runtime: str, accepts: Sequence[str], signature: Mapping[str, Json]) -> Face:
    platform = PLATFORMS.get(runtime, f"maas_{runtime}")
    if runtime == "onnx":
        return Face("tensors", platform, _specs(signature, "inputs"), _specs(signature, "outputs"))
    if "tensors" in accepts:
        return Face("tensors", platform, _specs(signature, "inputs"), (_RESULT,))
    if runtime == "embed":
        return Face("texts", platform, (_TEXTS,), (_embedding(signature),))
    if "texts" in accepts:
        return Face("texts", platform, (_TEXTS,), (_RESULT,))
    if "text" in accepts:
        return Face("text", platform, (_ONE_TEXT,), (_RESULT,))
    return Face("document", platform)


_TEXTS = TensorSpec(TEXT, "BYTES", (-1,))
_ONE_TEXT = TensorSpec(TEXT, "BYTES", (1,))
"""The input of a model that takes a single text. Each call is one text and one entry on the bill, and simultaneous
calls share batches.
"""
_RESULT = TensorSpec(RESULT, "BYTES", (1,))


def _specs(signature: Mapping[str, Json], side: str) -> tuple[TensorSpec, ...]:
    """Return the tensors of a side. The shape of an output is empty if the file leaves it open."""
    return tuple(
        TensorSpec(str(one["name"]), str(one["datatype"]), tuple(one["shape"] or ())) for one in signature.get(side, ())
    )


def _embedding(signature: Mapping[str, Json]) -> TensorSpec:
    declared = _specs(signature, "outputs")
    dimensions = declared[0].shape[-1] if declared and declared[0].shape else -1
    return TensorSpec(EMBEDDING, "FP32", (-1, dimensions))
