"""A walk over every node and tensor of a parsed model, wherever it is nested, which sums up what it finds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto

from inference.registry.admission.errors import ModelRefused
from inference.registry.admission.limits import AdmissionLimits
from inference.registry.admission.operators import check_operator, is_reserved_domain
from inference.registry.admission.tensors import checked_sparse_tensor_bytes, checked_tensor_bytes


@dataclass(frozen=True, slots=True)
class FunctionKey:
    domain: str
    name: str
    overload: str


@dataclass(slots=True)
class Calls:
    count: int = 0
    depth: int = 0
    """The depth of the deepest graph that calls."""


@dataclass(slots=True)
class Body:
    """The content of the main graph or of a function, including nested graphs but not the functions it calls."""

    nodes: int = 0
    constant_bytes: int = 0
    depth: int = 0
    """The number of graphs nested in each other."""
    calls: dict[FunctionKey, Calls] = field(default_factory=dict)


def check_model(model: ModelProto, limits: AdmissionLimits) -> None:
    """Refuse a model that refers to other files, differs from its declarations or grows when it is loaded."""
    if any(entry.key == "ort_config" for entry in model.metadata_props):
        raise ModelRefused(
            "custom_config_forbidden", "The metadata 'ort_config' would configure the server; remove it."
        )
    if model.training_info:
        raise ModelRefused("training_info_forbidden", "The file holds training graphs; export it for inference.")
    keys = _function_keys(model)
    functions = {key: _function_body(f, keys, limits) for key, f in zip(keys, model.functions, strict=True)}
    main = _BodyWalk(frozenset(keys), limits)
    main.graph(model.graph, depth=1)
    check_expansion(main.body, functions, limits)


def _function_keys(model: ModelProto) -> list[FunctionKey]:
    keys = [FunctionKey(f.domain, f.name, f.overload) for f in model.functions]
    for key in keys:
        if is_reserved_domain(key.domain):
            raise ModelRefused(
                "operator_not_allowed",
                f"Local function '{key.name}' is in the standard domain '{key.domain}'.",
            )
    if len(set(keys)) != len(keys):
        raise ModelRefused("model_corrupt", "Two local functions have the same name.")
    return keys


def _function_body(function: FunctionProto, keys: Iterable[FunctionKey], limits: AdmissionLimits) -> Body:
    walk = _BodyWalk(frozenset(keys), limits)
    walk.attributes(function.attribute_proto, depth=0)
    walk.nodes(function.node, depth=0)
    return walk.body


class _BodyWalk:
    def __init__(self, functions: frozenset[FunctionKey], limits: AdmissionLimits) -> None:
        self.functions = functions
        self.limits = limits
        self.body = Body()

    def graph(self, graph: GraphProto, depth: int) -> None:
        # This limit also bounds the recursion of this walk.
        if depth > self.limits.max_graph_depth:
            raise ModelRefused("model_too_deep", f"Graphs are nested more than {self.limits.max_graph_depth} deep.")
        self.body.depth = max(self.body.depth, depth)
        for tensor in graph.initializer:
            self.body.constant_bytes += checked_tensor_bytes(tensor)
        for sparse in graph.sparse_initializer:
            self.body.constant_bytes += checked_sparse_tensor_bytes(sparse)
        self.nodes(graph.node, depth)

    def nodes(self, nodes: Iterable[NodeProto], depth: int) -> None:
        for node in nodes:
            self.body.nodes += 1
            try:
                self.operator(node, depth)
                self.attributes(node.attribute, depth)
            except ModelRefused as refused:
                # The innermost node is named, because the nodes around it are only where it is nested.
                named = refused.node or _named(node)
                raise ModelRefused(refused.code, refused.detail, node=named, advice=refused.advice) from refused

    def operator(self, node: NodeProto, depth: int) -> None:
        key = FunctionKey(node.domain, node.op_type, node.overload)
        if key not in self.functions:
            check_operator(node.domain, node.op_type)
            return
        calls = self.body.calls.setdefault(key, Calls())
        calls.count += 1
        calls.depth = max(calls.depth, depth)

    def attributes(self, attributes: Iterable[AttributeProto], depth: int) -> None:
        """Look at every field that is set, whatever type the attribute declares."""
        for attribute in attributes:
            if attribute.HasField("t"):
                self.body.constant_bytes += checked_tensor_bytes(attribute.t)
            if attribute.HasField("sparse_tensor"):
                self.body.constant_bytes += checked_sparse_tensor_bytes(attribute.sparse_tensor)
            if attribute.HasField("g"):
                self.graph(attribute.g, depth + 1)
            for tensor in attribute.tensors:
                self.body.constant_bytes += checked_tensor_bytes(tensor)
            for sparse in attribute.sparse_tensors:
                self.body.constant_bytes += checked_sparse_tensor_bytes(sparse)
            for graph in attribute.graphs:
                self.graph(graph, depth + 1)


@dataclass(frozen=True, slots=True)
class Size:
    nodes: int
    constant_bytes: int
    depth: int


def check_expansion(main: Body, functions: Mapping[FunctionKey, Body], limits: AdmissionLimits) -> None:
    """Compute the size of each function once, callees first, and stop at the first that is over a limit."""
    in_file = main.nodes + sum(body.nodes for body in functions.values())
    max_nodes = max(limits.free_expanded_nodes, in_file * limits.max_expansion_factor)
    limits = replace(limits, max_expanded_nodes=min(limits.max_expanded_nodes, max_nodes))
    sizes: dict[FunctionKey, Size] = {}
    try:
        for key in TopologicalSorter({key: body.calls for key, body in functions.items()}).static_order():
            sizes[key] = _within(limits, _size(functions[key], sizes))
    except CycleError as error:
        raise ModelRefused("model_too_large_expanded", "A local function calls itself without end.") from error
    _within(limits, _size(main, sizes))


def _size(body: Body, sizes: Mapping[FunctionKey, Size]) -> Size:
    return Size(
        nodes=body.nodes + sum(calls.count * sizes[key].nodes for key, calls in body.calls.items()),
        constant_bytes=body.constant_bytes
        + sum(calls.count * sizes[key].constant_bytes for key, calls in body.calls.items()),
        depth=max([body.depth, *(calls.depth + sizes[key].depth for key, calls in body.calls.items())]),
    )


def _within(limits: AdmissionLimits, size: Size) -> Size:
    if size.depth > limits.max_graph_depth:
        raise ModelRefused("model_too_deep", f"Graphs are nested more than {limits.max_graph_depth} deep.")
    if size.nodes > limits.max_expanded_nodes:
        raise ModelRefused(
            "model_too_large_expanded",
            f"The model has more than {limits.max_expanded_nodes} nodes once its functions are written out.",
        )
    if size.constant_bytes > limits.max_initializer_bytes:
        raise ModelRefused(
            "model_too_large_expanded",
            f"The model has more than {limits.max_initializer_bytes} bytes of weights once loaded.",
        )
    return size


def _named(node: NodeProto) -> str:
    return f"{node.name or 'unnamed'} ({node.op_type})"
