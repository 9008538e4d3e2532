"""Small ONNX graphs, written where a test wants them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Shape = Sequence[str | int]


def save_graph(
    path: Path, node: onnx.NodeProto, shape: Shape, kind: int = TensorProto.FLOAT, **weights: object
) -> Path:
    """One operator from `x` to `y`, both of this shape and element type."""
    graph = helper.make_graph(
        [node],
        "graph",
        [helper.make_tensor_value_info("x", kind, shape)],
        [helper.make_tensor_value_info("y", kind, shape)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)
    return path


def save_adder(path: Path, *, floats: int = 4) -> Path:
    """Adds one; takes four bytes of memory for each of its floats."""
    add = helper.make_node("Add", ["x", "one"], ["y"])
    return save_graph(path, add, ["rows", floats], one=np.ones(floats, np.float32))


def save_operator(path: Path, operator: str, *, kind: int = TensorProto.FLOAT) -> Path:
    return save_graph(path, helper.make_node(operator, ["x"], ["y"]), ["rows"], kind)


def save_reader_of(path: Path, external_file: str) -> Path:
    """A model whose weight is said to lie in a file of this name."""
    save_adder(path)
    model = onnx.load(path)
    weight = model.graph.initializer[0]
    onnx.external_data_helper.set_external_data(weight, external_file, offset=0, length=16)
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    path.write_bytes(model.SerializeToString())
    return path
