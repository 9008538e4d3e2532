"""Finds the groups of units of a graph that can be removed."""

from collections.abc import Iterator
from dataclasses import dataclass

from onnx import ModelProto

from inference.factory.pruning import rules_axes, rules_values, rules_weights
from inference.factory.pruning.errors import Refused
from inference.factory.pruning.graph import Graph, attributes
from inference.factory.pruning.groups import Group, Refusal
from inference.factory.pruning.tracing import Trace, trace_units

RULES = rules_values.RULES | rules_axes.RULES | rules_weights.RULES
MAX_UNITS = 32768
_SEEDS = {
    ("", "Conv"): 1,
    ("", "ConvTranspose"): 1,
    ("", "Gemm"): 1,
    ("", "MatMul"): -1,
    ("com.microsoft", "Attention"): 2,
}
"""The operators with weights, and the axis of their result that carries units."""


@dataclass(frozen=True, slots=True)
class Found:
    groups: tuple[Group, ...]
    refusals: tuple[Refusal, ...]


def find_groups(model: ModelProto) -> Found:
    """Return the groups in the order of their first weights. Of groups that overlap, the first one is returned."""
    graph = Graph(model)
    groups: list[Group] = []
    refusals: list[Refusal] = []
    made: set[int] = set()
    for index, name, axis, units in _seeds(graph):
        if index in made:
            continue
        try:
            group = _trace(graph, name, axis, units)
        except Refused as error:
            refusals.append(Refusal(name, str(error)))
            continue
        made |= {source.node for source in group.sources}
        groups.append(group)
    return Found(tuple(groups), tuple(refusals))


def find_group(model: ModelProto, name: str) -> Group | Refusal:
    """Find a group again in a graph that has been changed since."""
    graph = Graph(model)
    for _, tensor, axis, units in _seeds(graph):
        if tensor == name:
            try:
                return _trace(graph, name, axis, units)
            except Refused as error:
                return Refusal(name, str(error))
    return Refusal(name, "it is not in the graph any more")


def _seeds(graph: Graph) -> Iterator[tuple[int, str, int, int]]:
    for index, node in enumerate(graph.nodes):
        axis = _SEEDS.get((node.domain if node.domain != "ai.onnx" else "", node.op_type))
        if axis is None or len(node.input) < 2 or attributes(node).get("group", 1) != 1:
            continue
        if not graph.is_weight(node.input[1]):
            continue
        shape = graph.shape(node.output[0]) or ()
        size = shape[axis] if len(shape) > max(axis, 0) else None
        if isinstance(size, int) and 1 < size <= MAX_UNITS:
            yield index, str(node.output[0]), axis % len(shape), size


def _trace(graph: Graph, name: str, axis: int, units: int) -> Group:
    refused = Refused("nothing that could make up for its units reads them")
    try:
        traces = trace_units(graph, name, axis, units, RULES)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # A graph may be as odd as its author likes: attributes of the wrong type, missing inputs, impossible shapes.
        raise Refused(f"its surroundings are not understood: {error!r}"[:300]) from error
    for trace, count in traces:
        if trace.sinks and trace.sources:
            return _group(name, trace, count)
    raise refused


def _group(name: str, trace: Trace, units: int) -> Group:
    sinks = sorted(trace.sinks.values(), key=lambda sink: sink.node)
    sources = sorted(trace.sources.values(), key=lambda source: source.node)
    return Group(name, units, tuple(sources), tuple(sinks), trace.edits, trace.tensors)
