"""Reads from an ONNX file what the row proof needs. Weights are skipped, so that they are not loaded a second time."""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from inference.runtime.native import onnx_package
from inference.runtime.row_proof.values import MAX_VALUES, Fixed, Node, Outline, Shape, Size

# These are field numbers of ModelProto, GraphProto and TensorProto.
_GRAPH, _OPSET_IMPORT, _FUNCTION = 7, 8, 25
_NODE, _INITIALIZER, _INPUT, _OUTPUT, _SPARSE_INITIALIZER = 1, 5, 11, 12, 15
_DIMS, _DATA_TYPE, _TENSOR_NAME = 1, 2, 8

_SMALL_BYTES = 4096
_STANDARD = ("", "ai.onnx")


class OutlineUnreadable(Exception):
    """The error for a file that is not an ONNX file this module can follow."""


@dataclass(frozen=True, slots=True)
class _Field:
    number: int
    start: int
    """The position of its tag."""
    content: int
    end: int


def read_outline(path: Path) -> Outline:
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _outline(data)
    except Exception as error:  # The parser's errors share no base class, and a file may hold anything.
        raise OutlineUnreadable(f"{type(error).__name__}: {error}"[:200]) from error


def _outline(data: mmap.mmap) -> Outline:
    onnx = onnx_package()
    graph: _Field | None = None
    opset, own_functions = 1, False
    for field in _fields(data, 0, len(data)):
        if field.number == _GRAPH:
            if graph is not None:
                raise ValueError("the file has two graphs, of which a parser would make one")
            graph = field
        elif field.number == _OPSET_IMPORT:
            imported = onnx.OperatorSetIdProto.FromString(_content(data, field))
            opset = imported.version if imported.domain in _STANDARD else opset
        own_functions |= field.number == _FUNCTION
    if graph is None:
        raise ValueError("the file has no graph")
    return _of_graph(data, graph, opset, own_functions)


def _of_graph(data: mmap.mmap, graph: _Field, opset: int, own_functions: bool) -> Outline:
    onnx = onnx_package()
    nodes: list[Node] = []
    constants: dict[str, Fixed] = {}
    inputs: dict[str, Shape] = {}
    outputs: list[str] = []
    for field in _fields(data, graph.content, graph.end):
        if field.number == _INITIALIZER:
            tensor = _tensor_without_weights(data, field)
            constants[tensor.name] = _fixed(tensor)
        elif field.number == _NODE:
            nodes.append(_node(onnx.NodeProto.FromString(_content(data, field))))
        elif field.number == _SPARSE_INITIALIZER:
            sparse = onnx.SparseTensorProto.FromString(_content(data, field))
            constants[sparse.values.name] = Fixed(tuple(sparse.dims))
        elif field.number == _INPUT:
            value = onnx.ValueInfoProto.FromString(_content(data, field))
            inputs[value.name] = _declared_shape(value)
        elif field.number == _OUTPUT:
            outputs.append(onnx.ValueInfoProto.FromString(_content(data, field)).name)
    # Before IR version 4 every weight was listed among the inputs, too.
    open_inputs = {name: shape for name, shape in inputs.items() if name not in constants}
    return Outline(open_inputs, outputs, nodes, constants, opset, own_functions)


def _tensor_without_weights(data: mmap.mmap, field: _Field) -> Any:
    tensor = onnx_package().TensorProto
    if field.end - field.content <= _SMALL_BYTES:
        return tensor.FromString(_content(data, field))
    head = [
        data[part.start : part.end]
        for part in _fields(data, field.content, field.end)
        if part.number in (_DIMS, _DATA_TYPE, _TENSOR_NAME)
    ]
    return tensor.FromString(b"".join(head))


def _node(node: Any) -> Node:
    kinds = onnx_package().AttributeProto
    graphs = (kinds.GRAPH, kinds.GRAPHS)
    if len({attribute.name for attribute in node.attribute}) != len(node.attribute):
        raise ValueError(f"operator {node.op_type} says an attribute twice")
    return Node(
        "" if node.domain in _STANDARD else node.domain,
        node.op_type,
        tuple(node.input),
        tuple(node.output),
        {attribute.name: _attribute(attribute) for attribute in node.attribute if attribute.type not in graphs},
        # This looks at the fields that are set, whatever type the attribute declares.
        nested=any(
            attribute.type in graphs or attribute.HasField("g") or len(attribute.graphs) for attribute in node.attribute
        ),
    )


def _attribute(attribute: Any) -> Any:
    onnx = onnx_package()
    if attribute.type == onnx.AttributeProto.TENSOR:
        return _fixed(attribute.t)
    if attribute.ref_attr_name or attribute.type in (
        onnx.AttributeProto.SPARSE_TENSOR,
        onnx.AttributeProto.TENSORS,
    ):
        return None
    return onnx.helper.get_attribute_value(attribute)


def _fixed(tensor: Any) -> Fixed:
    """Return the constant, with its values if they are few and numbers."""
    onnx = onnx_package()
    shape = tuple(tensor.dims)
    if prod(shape) > MAX_VALUES or tensor.data_type in (
        onnx.TensorProto.STRING,
        onnx.TensorProto.COMPLEX64,
        onnx.TensorProto.COMPLEX128,
    ):
        return Fixed(shape)
    values = onnx.numpy_helper.to_array(tensor).ravel().tolist()
    return Fixed(shape, tuple(Size(value) if type(value) is int else float(value) for value in values))


def _declared_shape(value: Any) -> Shape:
    dimensions = value.type.tensor_type.shape.dim
    return tuple(
        dimension.dim_value if dimension.HasField("dim_value") and dimension.dim_value >= 0 else None
        for dimension in dimensions
    )


def _fields(data: mmap.mmap, start: int, end: int) -> Iterator[_Field]:
    """Yield the fields of a message in the order of the file."""
    at = start
    while at < end:
        tag, content = _varint(data, at, end)
        match tag & 7:
            case 0:
                after = _varint(data, content, end)[1]
            case 1:
                after = content + 8
            case 2:
                length, content = _varint(data, content, end)
                after = content + length
            case 5:
                after = content + 4
            case other:
                raise ValueError(f"wire type {other} at byte {at}")
        if after > end:
            raise ValueError(f"the field at byte {at} is longer than what holds it")
        yield _Field(tag >> 3, at, content, after)
        at = after


def _varint(data: mmap.mmap, at: int, end: int) -> tuple[int, int]:
    """Return the number and the position after it."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError(f"no number ends at byte {at}")


def _content(data: mmap.mmap, field: _Field) -> bytes:
    return data[field.content : field.end]
