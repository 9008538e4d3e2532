"""The signature of a model: its inputs and outputs in the terms of the Open Inference Protocol."""

import math
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from onnx import GraphProto, TensorShapeProto, TypeProto, ValueInfoProto

from inference.registry.admission.classes import class_names
from inference.registry.admission.errors import ModelRefused
from inference.registry.admission.limits import AdmissionLimits
from inference.registry.admission.tensors import ELEMENT_TYPES, MAX_RANK

DYNAMIC = -1
_MAX_NAME_CHARACTERS = 256
_ZIPMAP = (
    "Export the probabilities as a tensor. With skl2onnx: "
    'convert_sklearn(model, …, options={id(model): {"zipmap": False}}). With onnxmltools: '
    "convert_lightgbm(model, …, zipmap=False). Or let the client export it: maas models export-sklearn."
)
_LIST = (
    "Export each tensor of the list as an output of its own. With a MultiOutputClassifier of scikit-learn, export each "
    "of its estimators_ as a model."
)


@dataclass(frozen=True, slots=True)
class TensorSpec:
    name: str
    datatype: str
    """The name of the element type, such as FP32, INT64 or BYTES."""
    shape: tuple[int, ...] | None
    """The sizes: -1 for a dimension that callers choose, None for an output whose rank the file leaves open."""


@dataclass(frozen=True, slots=True)
class Signature:
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    classes: tuple[str, ...] = field(default=(), compare=False)
    """The names of a classifier's classes, if the file has them. They are for people, and no part of the JSON."""

    def to_json(self) -> dict[str, Any]:
        return {
            "inputs": [_tensor_json(tensor) for tensor in self.inputs],
            "outputs": [_tensor_json(tensor) for tensor in self.outputs],
        }


def read_signature(graph: GraphProto, limits: AdmissionLimits) -> Signature:
    # Before IR version 4, every weight was also listed among the inputs.
    weights = {tensor.name for tensor in graph.initializer} | {t.values.name for t in graph.sparse_initializer}
    inputs = _specs("Input", (value for value in graph.input if value.name not in weights), limits)
    for tensor in inputs:
        _check_input(tensor, limits)
    _check_names(graph, limits)
    return Signature(inputs, _specs("Output", graph.output, limits), class_names(graph))


def _check_names(graph: GraphProto, limits: AdmissionLimits) -> None:
    """Refuse a graph whose names of sizes do not appear in print, or whose names are long all together."""
    characters = 0
    for value in (*graph.input, *graph.output):
        sizes = [dim.dim_param for dim in value.type.tensor_type.shape.dim]
        for size in sizes:
            if not size.isprintable():
                raise _unsupported(f"The name {size[:60]!r} of a size is not printable")
        characters += len(value.name) + sum(map(len, sizes))
    if characters > limits.max_signature_characters:
        raise _unsupported(
            f"The names of inputs, outputs and sizes have {characters} characters, more than"
            f" {limits.max_signature_characters}"
        )


def _tensor_json(tensor: TensorSpec) -> dict[str, Any]:
    return asdict(tensor) | {"shape": None if tensor.shape is None else list(tensor.shape)}


def _specs(role: str, values: Iterable[ValueInfoProto], limits: AdmissionLimits) -> tuple[TensorSpec, ...]:
    specs: dict[str, TensorSpec] = {}
    for value in values:
        if len(specs) == limits.max_signature_tensors:
            raise _unsupported(f"There are more than {limits.max_signature_tensors} {role.lower()}s")
        specs[_checked_name(role, value.name, specs)] = _spec(role, value)
    return tuple(specs.values())


def _checked_name(role: str, name: str, taken: Collection[str]) -> str:
    if not name or len(name) > _MAX_NAME_CHARACTERS or not name.isprintable():
        raise _unsupported(f"{role} name '{name}' is empty, not printable or over {_MAX_NAME_CHARACTERS} characters")
    if name in taken:
        raise ModelRefused("model_corrupt", f"{role} '{name}' is declared twice.")
    return name


def _spec(role: str, value: ValueInfoProto) -> TensorSpec:
    kind = value.type.WhichOneof("value")
    if kind == "sequence_type":
        of_maps = value.type.sequence_type.elem_type.WhichOneof("value") == "map_type"
        what = "a list of dictionaries" if of_maps else "a list of tensors"
        raise _unsupported(f"{role} '{value.name}' is {what}, not a tensor", _ZIPMAP if of_maps else _LIST)
    if kind != "tensor_type":
        raise _unsupported(f"{role} '{value.name}' is not a tensor")
    tensor = value.type.tensor_type
    element = ELEMENT_TYPES.get(tensor.elem_type)
    if element is None or element.datatype is None:
        raise _unsupported(f"{role} '{value.name}' has element type {tensor.elem_type}, not served")
    return TensorSpec(value.name, element.datatype, _shape(role, value.name, tensor))


def _shape(role: str, name: str, tensor: TypeProto.Tensor) -> tuple[int, ...] | None:
    if not tensor.HasField("shape"):
        return None
    if len(tensor.shape.dim) > MAX_RANK:
        raise _unsupported(f"{role} '{name}' has more than {MAX_RANK} dimensions")
    return tuple(_size(dim) for dim in tensor.shape.dim)


def _size(dim: TensorShapeProto.Dimension) -> int:
    return dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else DYNAMIC


def _check_input(tensor: TensorSpec, limits: AdmissionLimits) -> None:
    if tensor.shape is None:
        raise _unsupported(f"Input '{tensor.name}' leaves its number of dimensions open")
    smallest = math.prod(1 if size == DYNAMIC else size for size in tensor.shape)
    if smallest > limits.max_input_elements:
        raise _unsupported(f"Input '{tensor.name}' has {smallest} elements")


def _unsupported(what: str, advice: str = "") -> ModelRefused:
    return ModelRefused("signature_not_supported", f"{what}.", advice=advice)
