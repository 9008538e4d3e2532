"""Estimates the work of a run, and what of it each group's units cause."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from onnx import ModelProto, NodeProto

from inference.factory.pruning.graph import Graph
from inference.factory.pruning.groups import Group
from inference.factory.pruning.shapes import Dim, infer_shapes

_VALUE_WORK = 4.0
"""The work of an operator without weights for each value, in multiplications of a matrix product."""
_DEAR_VALUE_WORK = 16.0
_DEAR = frozenset({"Erf", "Exp", "FastGelu", "Gelu", "LayerNormalization", "Mish", "Sigmoid", "Softmax", "Tanh"})
_WEIGHTED = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul", "Attention"})


@dataclass(frozen=True, slots=True)
class Part:
    """The work of a node, which shrinks with the units of these groups."""

    work: float
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Work:
    parts: tuple[Part, ...]

    def total(self, shares: Mapping[str, float]) -> float:
        """Return the work with these shares of the units of the groups left."""
        return sum(part.work * prod(shares.get(name, 1.0) for name in part.groups) for part in self.parts)


def estimate(model: ModelProto, groups: Sequence[Group], input_shapes: Mapping[str, Sequence[int]]) -> Work:
    graph, shapes = Graph(model), infer_shapes(model, input_shapes)
    touching: dict[int, list[str]] = {}
    for group in groups:
        for node, position, _ in group.edits.slices:
            if position == 1 and graph.nodes[node].op_type in _WEIGHTED:
                touching.setdefault(node, []).append(group.name)
    parts = []
    for index, node in enumerate(graph.nodes):
        names = touching.get(index)
        if names is None:
            names = [group.name for group in groups if any(name in group.tensors for name in node.output)]
        parts.append(Part(_work_of(graph, node, shapes), tuple(names)))
    return Work(tuple(parts))


def _work_of(graph: Graph, node: NodeProto, shapes: Mapping[str, tuple[Dim, ...]]) -> float:
    values = _size(shapes.get(node.output[0], ())) if node.output else 0
    if node.op_type not in _WEIGHTED or len(node.input) < 2:
        return values * (_DEAR_VALUE_WORK if node.op_type in _DEAR else _VALUE_WORK)
    weight = graph.shape(node.input[1]) if graph.is_weight(node.input[1]) else None
    if weight is None:
        inner = shapes.get(node.input[0], ())[-1:]
        return float(values * _size(inner))
    if node.op_type == "Attention":
        return float(_size(shapes.get(node.input[0], ())[:-1]) * _size(weight))
    if node.op_type == "ConvTranspose":
        return float(_size(shapes.get(node.input[0], ())) * _size(weight[1:]))
    results = weight[0] if node.op_type == "Conv" else shapes.get(node.output[0], (1,))[-1]
    return values * _size(weight) / max(_size((results,)), 1)


def _size(shape: Sequence[Dim]) -> int:
    return prod(size for size in shape if isinstance(size, int))
