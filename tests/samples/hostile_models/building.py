"""The parts that hostile models are made of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import onnx.parser
from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

Feeds = Mapping[str, tuple[str, Sequence[int], Sequence[Any]]]
"""The datatype, shape and values of each input of a call."""
FOREVER = 2**62
FLOATS = TensorProto.FLOAT
SCRIPT = "<script>alert(1)</script>"


@dataclass(frozen=True)
class HostileModel:
    make: Callable[[], bytes]
    feeds: Feeds = field(default_factory=dict)
    """The inputs of a call that brings out what is hostile. Inputs that are not named are made up."""
    slow: bool = False
    """Set if the check or the call runs into a time limit."""


def delimited(number: int, payload: bytes) -> bytes:
    """Return a length-delimited field as protobuf writes it."""
    return _varint(number << 3 | 2) + _varint(len(payload)) + payload


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def of_text(graph: str, *, opset: int = 20, imports: str = "") -> bytes:
    """Return a model that is given in ONNX's own text form."""
    opsets = f'"" : {opset}{imports}'
    data: bytes = onnx.parser.parse_model(f"<ir_version: 10, opset_import: [{opsets}]> {graph}").SerializeToString()
    return data


def value(name: str, shape: Sequence[int | str] = ("n", 4), kind: int = FLOATS) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, list(shape))


def of_nodes(
    *nodes: NodeProto,
    inputs: Sequence[ValueInfoProto] = (),
    outputs: Sequence[ValueInfoProto] = (),
    weights: Sequence[TensorProto] = (),
    functions: Sequence[FunctionProto] = (),
    domains: Sequence[str] = (),
    opset: int = 20,
    ir_version: int = 10,
) -> ModelProto:
    """Return a model of these nodes from `x` to `y`, unless other inputs and outputs are given."""
    graph = helper.make_graph(
        list(nodes), "main", list(inputs or [value("x")]), list(outputs or [value("y")]), list(weights)
    )
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=opsets, functions=list(functions), ir_version=ir_version)


def of_node(op: str, *inputs: str, domain: str = "", **attributes: Any) -> NodeProto:
    return helper.make_node(op, list(inputs or ["x"]), ["y"], domain=domain, **attributes)


def saved(model: ModelProto) -> bytes:
    data: bytes = model.SerializeToString()
    return data
