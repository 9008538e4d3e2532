"""An index of an ONNX graph: who makes and who reads each tensor, its shape, and its value if that is constant."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from google.protobuf.message import DecodeError
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, helper, numpy_helper

from inference.factory.pruning.errors import PruningImpossible
from inference.factory.pruning.shapes import Dim, infer_shapes

Array = npt.NDArray[Any]
Reader = tuple[int, int]
"""The index of a node and of its input."""

FLOATS = frozenset({np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)})
_FOLDED = frozenset({"Identity", "Transpose", "Cast", "Reshape", "Unsqueeze", "Squeeze"})
"""The operators on constants that are computed here. They do not make their input larger."""
_MAX_FOLDS = 8


class Graph:
    """The index. It does not change the model."""

    def __init__(self, model: ModelProto) -> None:
        self.model = model
        graph = model.graph
        self.nodes: Sequence[NodeProto] = list(graph.node)
        self.opset = max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=1)
        self.outputs = {value.name for value in graph.output}
        self.inputs = {value.name for value in graph.input}
        self.used_in_subgraphs = set(_names_in_subgraphs(self.nodes))
        self._initializers = {tensor.name: tensor for tensor in graph.initializer if tensor.name not in self.inputs}
        self.producers: dict[str, tuple[int, int]] = {}
        self.readers: dict[str, list[Reader]] = defaultdict(list)
        for index, node in enumerate(self.nodes):
            self.producers |= {name: (index, position) for position, name in enumerate(node.output) if name}
            for position, name in enumerate(node.input):
                self.readers[name].append((index, position))
        self._shapes = infer_shapes(model)
        self._constants: dict[str, Array | None] = {}

    def shape(self, name: str) -> tuple[Dim, ...] | None:
        tensor = self._initializers.get(name)
        if tensor is not None:
            return tuple(tensor.dims)
        known = self._shapes.get(name)
        if known is None and (value := self.constant(name)) is not None:
            return value.shape
        return known

    def constant(self, name: str) -> Array | None:
        """Return the value of a tensor that is the same in each run, or None."""
        if name not in self._constants:
            self._constants[name] = self._compute(name)
        return self._constants[name]

    def is_weight(self, name: str) -> bool:
        value = self.constant(name)
        return value is not None and value.dtype in FLOATS

    def _compute(self, name: str, depth: int = 0) -> Array | None:
        if name in self._initializers:
            return numpy_helper.to_array(self._initializers[name])
        index, position = self.producers.get(name, (-1, 0))
        if index < 0 or position or depth > _MAX_FOLDS or self.nodes[index].domain not in ("", "ai.onnx"):
            return None
        node = self.nodes[index]
        if node.op_type == "Constant":
            return _value_of(attributes(node))
        if node.op_type not in _FOLDED:
            return None
        values = [self._compute(read, depth + 1) for read in node.input]
        if not values or any(value is None for value in values):
            return None
        return _fold(node, [value for value in values if value is not None])


def attributes(node: NodeProto) -> Mapping[str, Any]:
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def _value_of(given: Mapping[str, Any]) -> Array | None:
    if "value" in given:
        return numpy_helper.to_array(given["value"])
    for name, dtype in (("value_int", np.int64), ("value_ints", np.int64), ("value_float", np.float32)):
        if name in given:
            return np.asarray(given[name], dtype)
    return np.asarray(given["value_floats"], np.float32) if "value_floats" in given else None


def _fold(node: NodeProto, values: Sequence[Array]) -> Array | None:
    given, value = attributes(node), values[0]
    match node.op_type:
        case "Identity":
            return value
        case "Transpose":
            return value.transpose(given.get("perm"))
        case "Cast":
            dtype = np.dtype(helper.tensor_dtype_to_np_dtype(given["to"]))
            return value.astype(dtype) if dtype in FLOATS or dtype.kind in "iub" else None
        case "Reshape":
            shape = [value.shape[i] if size == 0 else int(size) for i, size in enumerate(values[1])]
            return None if given.get("allowzero") else value.reshape(shape)
    axes = values[1] if len(values) > 1 else given.get("axes")
    if node.op_type == "Squeeze":
        return value.squeeze() if axes is None else value.squeeze(tuple(int(axis) for axis in axes))
    return None if axes is None else np.expand_dims(value, tuple(int(axis) for axis in axes))


def _names_in_subgraphs(nodes: Sequence[NodeProto]) -> Iterator[str]:
    for node in nodes:
        for attribute in node.attribute:
            for graph in _graphs_of(attribute):
                yield from (name for inner in graph.node for name in inner.input)
                yield from (value.name for value in graph.output)
                yield from _names_in_subgraphs(graph.node)


def _graphs_of(attribute: AttributeProto) -> Sequence[GraphProto]:
    if attribute.type == AttributeProto.GRAPH:
        return [attribute.g]
    return list(attribute.graphs) if attribute.type == AttributeProto.GRAPHS else []


def load(content: bytes) -> ModelProto:
    try:
        return onnx.load_model_from_string(content)
    except DecodeError as error:
        raise PruningImpossible("the file is no ONNX graph") from error
