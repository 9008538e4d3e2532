from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from inference.factory.input_hints import find_hints
from inference.runtime.tensors import Array
from tests.inference.runtime.graphs import save_graph_text, save_nodes


def numbers(values: Array | None) -> list[float] | None:
    return None if values is None else list(values.tolist())


def test_the_rows_of_a_table_limit_the_numbers_that_choose_them(tmp_path: Path) -> None:
    path = save_nodes(
        tmp_path / "m.onnx",
        [helper.make_node("Cast", ["x"], ["i"], to=TensorProto.INT64), helper.make_node("Gather", ["t", "i"], ["y"])],
        {"x": ["n", 4]},
        {"y": ["n", 4, 2]},
        kinds=(TensorProto.INT32, TensorProto.FLOAT),
        t=np.zeros((50, 2), np.float32),
    )
    hint = find_hints(path)["x"]
    assert (hint.low, hint.high) == (0, 49)


def test_the_smaller_of_two_tables_limits(tmp_path: Path) -> None:
    path = save_nodes(
        tmp_path / "m.onnx",
        [helper.make_node("Gather", [table, "x"], [f"y{table}"]) for table in ("a", "b")],
        {"x": ["n"]},
        {"ya": ["n", 2], "yb": ["n", 2]},
        kinds=(TensorProto.INT64, TensorProto.FLOAT),
        a=np.zeros((50, 2), np.float32),
        b=np.zeros((7, 2), np.float32),
    )
    assert find_hints(path)["x"].high == 6


def test_the_mean_and_deviation_of_a_normalization_are_found(tmp_path: Path) -> None:
    path = save_graph_text(
        tmp_path / "m.onnx",
        "g (float[n,2] x) => (float[n,2] y) <float[2] m={5.0,-3.0}, float[2] s={10.0,0.5}> { d=Sub(x,m) y=Div(d,s) }",
    )
    assert numbers(find_hints(path)["x"].center) == [5, -3]


def test_thresholds_of_trees_and_words_of_encoders_are_found(tmp_path: Path) -> None:
    trees = helper.make_node(
        "TreeEnsembleRegressor",
        ["x"],
        ["y"],
        domain="ai.onnx.ml",
        nodes_featureids=[2, 0, 0, 2, 0, 0],
        nodes_values=[10.0, 0.0, 0.0, 30.0, 0.0, 0.0],
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"] * 2,
    )
    encoder = helper.make_node(
        "LabelEncoder", ["c"], ["z"], domain="ai.onnx.ml", keys_strings=["red", "blue"], values_int64s=[0, 1]
    )
    graph = helper.make_graph(
        [trees, encoder],
        "g",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3]),
            helper.make_tensor_value_info("c", TensorProto.STRING, ["n", 1]),
        ],
        [
            helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1]),
            helper.make_tensor_value_info("z", TensorProto.INT64, ["n", 1]),
        ],
    )
    onnx.save(helper.make_model(graph), tmp_path / "m.onnx")
    hints = find_hints(tmp_path / "m.onnx")
    assert numbers(hints["x"].center) == [0, 0, 20]
    assert numbers(hints["x"].deviation) == [1, 1, 10]
    assert hints["c"].words == ("red", "blue")


def test_an_input_without_a_limit_has_no_hint(tmp_path: Path) -> None:
    path = save_graph_text(tmp_path / "m.onnx", "g (float[n,2] x) => (float[n,2] y) { y=Relu(x) }")
    assert find_hints(path) == {}
