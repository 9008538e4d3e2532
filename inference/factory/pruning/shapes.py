"""Shapes of all tensors of a graph, inferred without the weights, so that large models need little memory."""

from collections.abc import Mapping, Sequence

import onnx
from onnx import GraphProto, ModelProto, NodeProto, ValueInfoProto, helper

Dim = int | str | None
"""A size, or the name of a size that only a run tells, or None if nothing is known."""
_KEPT_VALUES = 64
"""Constants with at most so many values stay, because shapes are computed from them."""
_MAX_ROUNDS = 100
_SAME_SHAPE = frozenset({"Gelu", "FastGelu", "QuickGelu", "BiasGelu", "SkipLayerNormalization", "MultiHeadAttention"})
_ATTENTION = "Attention"
_CONTRIB = "com.microsoft"


def infer_shapes(model: ModelProto, inputs: Mapping[str, Sequence[int]] | None = None) -> dict[str, tuple[Dim, ...]]:
    """Return the shapes by name, for inputs of these shapes if they are given.

    ONNX Runtime's own operators, which ONNX does not know, are bridged one by one.
    """
    outline = _outline(model)
    if inputs is not None:
        _fix_inputs(outline.graph, inputs)
    shapes: dict[str, tuple[Dim, ...]] = {}
    for _ in range(_MAX_ROUNDS):
        try:
            inferred = onnx.shape_inference.infer_shapes(outline, data_prop=True)
        except Exception:  # The checker's C++ side raises many types for graphs that are merely unusual.
            return shapes
        shapes = _read(inferred.graph)
        added = [info for node in outline.graph.node for info in _bridged(node, shapes)]
        if not added:
            return shapes
        outline.graph.value_info.extend(added)
    return shapes


def _fix_inputs(graph: GraphProto, shapes: Mapping[str, Sequence[int]]) -> None:
    del graph.value_info[:]
    for value in graph.input:
        for dim, size in zip(value.type.tensor_type.shape.dim, shapes.get(value.name, ()), strict=False):
            dim.dim_value = size
    for value in graph.output:
        value.type.tensor_type.ClearField("shape")


def _outline(model: ModelProto) -> ModelProto:
    """Copy the graph without its large weights. They become inputs, whose shapes are known."""
    outline = ModelProto()
    outline.ir_version = model.ir_version
    outline.opset_import.extend(model.opset_import)
    outline.functions.extend(model.functions)
    graph = outline.graph
    graph.name = model.graph.name or "graph"
    graph.input.extend(model.graph.input)
    graph.output.extend(model.graph.output)
    graph.value_info.extend(model.graph.value_info)
    graph.node.extend(node for node in model.graph.node if not _is_large_constant(node))
    given = {value.name for value in model.graph.input}
    for tensor in model.graph.initializer:
        size = 1
        for dim in tensor.dims:
            size *= dim
        if size <= _KEPT_VALUES:
            graph.initializer.append(tensor)
        elif tensor.name not in given:
            graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))
    for node in model.graph.node:
        if _is_large_constant(node):
            value = node.attribute[0].t
            graph.input.append(helper.make_tensor_value_info(node.output[0], value.data_type, list(value.dims)))
    return outline


def _is_large_constant(node: NodeProto) -> bool:
    if node.op_type != "Constant" or len(node.attribute) != 1 or node.attribute[0].name != "value":
        return False
    size = 1
    for dim in node.attribute[0].t.dims:
        size *= dim
    return size > _KEPT_VALUES


def _read(graph: GraphProto) -> dict[str, tuple[Dim, ...]]:
    values = [*graph.input, *graph.value_info, *graph.output]
    shapes = {value.name: _shape_of(value) for value in values if value.type.tensor_type.HasField("shape")}
    return shapes | {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}


def _shape_of(value: ValueInfoProto) -> tuple[Dim, ...]:
    return tuple(
        dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
        for dim in value.type.tensor_type.shape.dim
    )


def _bridged(node: NodeProto, shapes: Mapping[str, tuple[Dim, ...]]) -> list[ValueInfoProto]:
    """Describe the first output of one of ONNX Runtime's own operators."""
    if node.domain != _CONTRIB or not node.input or not node.output or node.output[0] in shapes:
        return []
    shape = shapes.get(node.input[0])
    if shape is None:
        return []
    if node.op_type == _ATTENTION and len(shape) == 3:
        bias = shapes.get(node.input[2]) if len(node.input) > 2 else None
        width = bias[0] // 3 if bias and isinstance(bias[0], int) else None
        sizes = [list(part.ints) for part in node.attribute if part.name == "qkv_hidden_sizes"]
        shape = (shape[0], shape[1], sizes[0][2] if sizes and len(sizes[0]) == 3 else width)
    elif node.op_type not in _SAME_SHAPE:
        return []
    return [helper.make_tensor_value_info(node.output[0], onnx.TensorProto.FLOAT, list(shape))]
