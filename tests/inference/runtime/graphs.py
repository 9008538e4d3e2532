"""Write small ONNX graphs to the path that a test wants."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
from onnx import TensorProto, helper, numpy_helper

Shape = Sequence[str | int]


def save_graph(
    path: Path, node: onnx.NodeProto, shape: Shape, kind: int = TensorProto.FLOAT, **weights: object
) -> Path:
    """Save a graph of one operator from `x` to `y`, both of this shape and element type."""
    return save_nodes(path, [node], {"x": shape}, {"y": shape}, kinds=(kind, kind), **weights)


def save_nodes(
    path: Path,
    nodes: Sequence[onnx.NodeProto],
    takes: Mapping[str, Shape],
    gives: Mapping[str, Shape | None],
    *,
    kinds: tuple[int, int] = (TensorProto.FLOAT, TensorProto.FLOAT),
    **weights: object,
) -> Path:
    """Save a graph of these operators. `kinds` are the element types of its inputs and outputs."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, kinds[0], shape) for name, shape in takes.items()],
        [helper.make_tensor_value_info(name, kinds[1], shape) for name, shape in gives.items()],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)
    return path


def save_adder(path: Path, *, floats: int = 4) -> Path:
    """Save a graph that adds one, and takes four bytes of memory for each of its floats."""
    add = helper.make_node("Add", ["x", "one"], ["y"])
    return save_graph(path, add, ["rows", floats], one=np.ones(floats, np.float32))


def save_wide(path: Path, *, inputs: int = 8, width: int = 250_000, gives_all: bool = False) -> Path:
    """Save a graph with wide weights that widens each row and returns its largest value."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y" if gives_all else "h"])]
    if not gives_all:
        nodes.append(helper.make_node("ReduceMax", ["h", "axis"], ["y"], keepdims=1))
    takes: Shape = ["rows", inputs]
    gives: Shape = ["rows", width if gives_all else 1]
    w = np.ones((inputs, width), np.float32)
    return save_nodes(path, nodes, {"x": takes}, {"y": gives}, w=w, axis=np.array([1]))


def save_graph_text(path: Path, graph: str) -> Path:
    """Save a graph that is given in ONNX's own text form."""
    onnx.save(onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 20]> {graph}'), path)
    return path


def save_widening(path: Path, *, declared: str = "float[n, 2]") -> Path:
    """Save a graph that declares rows of two, and repeats each row as often as its largest value says."""
    return save_graph_text(
        path,
        f"""widening (float[n, 2] x) => ({declared} y)
        <int64[1] one = {{1}}, int64[1] last = {{1}}, float least = {{1.0}}, int64[1] zero = {{0}}>
        {{ m = ReduceMax<keepdims = 0>(x) l = Max(m, least) i = Cast<to = 7>(l) v = Unsqueeze(i, zero)
           r = Concat<axis = 0>(one, v) y = Tile(x, r) }}""",
    )


def save_scaler(path: Path) -> Path:
    """Save a graph that scales images from 0 to 255 to 0 to 1 if the batch's largest value shows that range."""
    return save_graph_text(
        path,
        """scaler (float[n, 64] x) => (float[n, 64] y) <float one = {1.0}, float most = {255.0}>
        { m = ReduceMax<keepdims = 0>(x) g = Greater(m, one) s = Div(x, most) y = Where(g, s, x) }""",
    )


def save_patient(path: Path, *, turns: int = 200_000) -> Path:
    """Save a graph that sums a row of eight numbers and then adds nothing, for a good part of a second."""
    return save_graph_text(
        path,
        f"""patient (float[n, 8] x) => (float[n, 1] y)
        <int64 turns = {{{turns}}}, bool go = {{1}}, int64[1] axis = {{1}}, float zero = {{0.0}}>
        {{ s = ReduceSum(x, axis)
           y = Loop <body = turn (int64 i, bool c, float[n, 1] v) => (bool c_out, float[n, 1] v_out)
             {{ c_out = Identity(c) v_out = Add(v, zero) }}> (turns, go, s) }}""",
    )


def save_operator(path: Path, operator: str, *, kind: int = TensorProto.FLOAT) -> Path:
    return save_graph(path, helper.make_node(operator, ["x"], ["y"]), ["rows"], kind)


def save_reader_of(path: Path, external_file: str) -> Path:
    """Save a model that declares its weight to be in an external file of this name."""
    save_adder(path)
    model = onnx.load(path)
    weight = model.graph.initializer[0]
    onnx.external_data_helper.set_external_data(weight, external_file, offset=0, length=16)
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    path.write_bytes(model.SerializeToString())
    return path
