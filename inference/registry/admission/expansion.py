"""The size of a model after its local functions are inlined, computed without inlining them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter

from inference.registry.admission.errors import ModelRefused
from inference.registry.admission.limits import AdmissionLimits


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
        raise ModelRefused(
            "model_too_large_expanded", "A local function calls itself without end."
        ) from error
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
