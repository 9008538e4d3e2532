"""Small graphs to transform, and their answers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

Floats = npt.NDArray[np.float32]
WIDTH = 64
OPSET = 17


def rows(seed: int, count: int = 8, width: int = WIDTH) -> Floats:
    return np.random.default_rng(seed).normal(0, 1, (count, width)).astype(np.float32)


def samples(count: int = 8) -> list[Mapping[str, Floats]]:
    return [{"x": rows(seed)} for seed in range(count)]


def model_of(nodes: Sequence[NodeProto], weights: Mapping[str, npt.ArrayLike], *, width: int = WIDTH) -> ModelProto:
    """Return the graph from rows `x` to rows `y`."""
    graph = helper.make_graph(
        list(nodes),
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", width])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", "width"])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    helper.set_model_props(model, {"character": "a\nb"})
    return model


def saved(model: ModelProto, folder: Path) -> Path:
    path = folder / "source.onnx"
    onnx.save(model, path)
    return path


def perceptron() -> ModelProto:
    """Return two layers whose weights are most of the file, with an operator that does nothing."""
    nodes = [
        helper.make_node("Identity", ["x"], ["same"]),
        helper.make_node("MatMul", ["same", "first"], ["wide"], name="first"),
        helper.make_node("Relu", ["wide"], ["active"]),
        helper.make_node("MatMul", ["active", "second"], ["y"], name="second"),
    ]
    return model_of(nodes, {"first": weights(1, WIDTH, 256), "second": weights(2, 256, WIDTH)})


def with_biases(*shapes: tuple[int, ...]) -> ModelProto:
    """Return a layer for each bias, whose shape is one of those that Gemm adds to its rows."""
    nodes: list[NodeProto] = []
    values: dict[str, npt.ArrayLike] = {}
    for at, shape in enumerate(shapes):
        values |= {f"weight{at}": weights(at, WIDTH, WIDTH), f"bias{at}": np.full(shape, 0.5, np.float32)}
        before, after = f"layer{at}" if at else "x", f"layer{at + 1}" if at + 1 < len(shapes) else "y"
        nodes.append(helper.make_node("Gemm", [before, f"weight{at}", f"bias{at}"], [after], name=f"gemm{at}"))
    return model_of(nodes, values)


def with_texts() -> ModelProto:
    """Return a layer for the rows, and a number for each text beside them."""
    model = with_biases((WIDTH,))
    names: dict[str, Any] = {"keys_strings": ["a", "b"], "values_int64s": [1, 2]}
    model.graph.node.append(helper.make_node("LabelEncoder", ["text"], ["number"], domain="ai.onnx.ml", **names))
    model.graph.input.append(helper.make_tensor_value_info("text", TensorProto.STRING, ["rows"]))
    model.graph.output.append(helper.make_tensor_value_info("number", TensorProto.INT64, ["rows"]))
    model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
    return model


def with_an_outlier() -> ModelProto:
    """Return a graph whose second product loses nearly everything in int8: one column of its input is far larger."""
    scale = np.ones(WIDTH, np.float32)
    scale[0] = 1e4
    last = weights(4, WIDTH, WIDTH)
    last[0] /= 1e4
    nodes = [
        helper.make_node("MatMul", ["x", "first"], ["even"], name="even"),
        helper.make_node("Mul", ["even", "scale"], ["uneven"]),
        helper.make_node("MatMul", ["uneven", "last"], ["y"], name="sensitive"),
    ]
    return model_of(nodes, {"first": weights(3, WIDTH, WIDTH), "scale": scale, "last": last})


def with_gelu() -> ModelProto:
    """Return a product and the operators that exporters write for Gelu."""
    nodes = [
        helper.make_node("MatMul", ["x", "first"], ["wide"], name="first"),
        helper.make_node("Div", ["wide", "root"], ["scaled"]),
        helper.make_node("Erf", ["scaled"], ["error"]),
        helper.make_node("Add", ["error", "one"], ["shifted"]),
        helper.make_node("Mul", ["wide", "shifted"], ["twice"]),
        helper.make_node("Mul", ["twice", "half"], ["y"]),
    ]
    numbers = {"root": np.float32(np.sqrt(2)), "one": np.float32(1), "half": np.float32(0.5)}
    return model_of(nodes, {"first": weights(5, WIDTH, WIDTH), **numbers})


def weights(seed: int, height: int, width: int) -> Floats:
    drawn: Floats = (np.random.default_rng(seed).normal(0, 1, (height, width)) / np.sqrt(height)).astype(np.float32)
    return drawn


def answer(path: Path, feeds: Mapping[str, Any]) -> Floats:
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    found: Floats = session.run(None, dict(feeds))[0]
    return found


def relative_error(path: Path, source: Path) -> float:
    """Return the error of a variant on rows that it was not calibrated on."""
    feeds = {"x": rows(1000)}
    true = answer(source, feeds)
    return float(np.linalg.norm(answer(path, feeds) - true) / np.linalg.norm(true))


def operators(path: Path) -> set[str]:
    return {node.op_type for node in onnx.load(path).graph.node}
