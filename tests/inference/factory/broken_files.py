"""Break model files in the ways in which faulty tools and careless people break them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from inference.runtime.tensors import Array

Break = Callable[[Path, Path], Path]
"""A function that writes a broken form of the first file to the second path."""


def _changed(source: Path, into: Path, change: Callable[[onnx.ModelProto], None]) -> Path:
    model = onnx.load(source)
    change(model)
    onnx.save(model, into)
    return into


def with_weight(name: str, change: Callable[[Array], Array]) -> Break:
    def edit(model: onnx.ModelProto) -> None:
        weight = next(each for each in model.graph.initializer if each.name == name)
        old = numpy_helper.to_array(weight)
        weight.CopyFrom(numpy_helper.from_array(change(old.copy()).astype(old.dtype), name))

    return lambda source, into: _changed(source, into, edit)


def with_attribute(node_name: str, attribute: str, change: Callable[[list[object]], list[object]]) -> Break:
    def edit(model: onnx.ModelProto) -> None:
        node = next(each for each in model.graph.node if each.name == node_name)
        old = next(each for each in node.attribute if each.name == attribute)
        values = change([*helper.get_attribute_value(old)])
        node.attribute.remove(old)
        node.attribute.append(helper.make_attribute(attribute, values))

    return lambda source, into: _changed(source, into, edit)


def without_node(name: str) -> Break:
    """Leave out a node, as if it returned its first input."""

    def edit(model: onnx.ModelProto) -> None:
        node = next(each for each in model.graph.node if each.name == name)
        node.CopyFrom(helper.make_node("Identity", [node.input[0]], [node.output[0]]))

    return lambda source, into: _changed(source, into, edit)


def after_output(nodes: Callable[[str, str], Sequence[onnx.NodeProto]], **weights: object) -> Break:
    """Add nodes between what the model computes for its last output and that output."""

    def edit(model: onnx.ModelProto) -> None:
        graph = model.graph
        output = graph.output[-1].name
        for node in graph.node:
            for position, name in enumerate(node.output):
                if name == output:
                    node.output[position] = "raw"
            for position, name in enumerate(node.input):
                if name == output:
                    node.input[position] = "raw"
        graph.node.extend(nodes("raw", output))
        graph.initializer.extend(numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items())

    return lambda source, into: _changed(source, into, edit)


def _node(operator: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(operator, inputs.split(), outputs.split(), **attributes)


ADDS_ONE = after_output(lambda raw, out: [_node("Add", f"{raw} fault_1", out)], fault_1=np.float32(1))
SCALED = after_output(lambda raw, out: [_node("Mul", f"{raw} fault_1", out)], fault_1=np.float32(1.3))
CONSTANT = after_output(
    lambda raw, out: [_node("Mul", f"{raw} fault_1", "zeroed"), _node("Add", "zeroed fault_2", out)],
    fault_1=np.float32(0),
    fault_2=np.float32(0.25),
)
LAST_ROW_DROPPED = after_output(
    lambda raw, out: [_node("Slice", f"{raw} fault_1 fault_2 fault_1", out)],
    fault_1=np.array([0]),
    fault_2=np.array([-1]),
)
LAST_OF_MANY_DROPPED = after_output(
    lambda raw, out: [
        _node("Shape", raw, "rs"),
        _node("Gather", "rs fault_0", "rn"),
        _node("Div", "rn fault_2", "half"),
        _node("Min", "half fault_1", "less"),
        _node("Sub", "rn less", "kept"),
        _node("Slice", f"{raw} fault_0 kept fault_0", out),
    ],
    fault_0=np.array([0]),
    fault_1=np.array([1]),
    fault_2=np.array([2]),
)
ROWS_REVERSED = after_output(
    lambda raw, out: [_node("Slice", f"{raw} fault_1 fault_2 fault_0 fault_1", out)],
    fault_0=np.array([0]),
    fault_1=np.array([-1]),
    fault_2=np.array([np.iinfo(np.int64).min]),
)
FIRST_ROW_FOR_ALL = after_output(
    lambda raw, out: [
        _node("Slice", f"{raw} fault_0 fault_1 fault_0", "first_row"),
        _node("Shape", raw, "rs"),
        _node("Expand", "first_row rs", out),
    ],
    fault_0=np.array([0]),
    fault_1=np.array([1]),
)
NAN_IN_ONE_OF_1000 = after_output(
    lambda raw, out: [
        _node("Mul", f"{raw} {raw}", "squares"),
        _node("Mul", f"{raw} squares", "cubes"),
        _node("ReduceSum", "cubes fault_1", "row_sum", keepdims=1),
        _node("Mul", "row_sum fault_77", "angle"),
        _node("Sin", "angle", "wave"),
        _node("Greater", "wave fault_top", "chosen"),
        _node("Where", f"chosen nan {raw}", out),
    ],
    fault_1=np.array([-1]),
    fault_77=np.float32(7919.7),
    fault_top=np.float32(np.cos(np.pi / 1000)),
    nan=np.float32(np.nan),
)
"""The rows are chosen by the model's answers, so a model whose answers hardly vary may choose none or all."""
NAN_FROM_ROW_999 = after_output(
    lambda raw, out: [
        _node("Shape", raw, "rs"),
        _node("Gather", "rs fault_0", "rn"),
        _node("Range", "fault_0 rn fault_1", "numbers"),
        _node("Unsqueeze", "numbers fault_1v", "numbers2"),
        _node("Less", "numbers2 fault_999", "few"),
        _node("Where", f"few {raw} nan", out),
    ],
    fault_0=np.int64(0),
    fault_1=np.int64(1),
    fault_1v=np.array([1]),
    fault_999=np.int64(999),
    nan=np.float32(np.nan),
)
RIGHT_FOR_ONE_ROW_ALONE = after_output(
    lambda raw, out: [
        _node("Shape", raw, "rs"),
        _node("Gather", "rs fault_0", "rn"),
        _node("Equal", "rn fault_1", "is_one"),
        _node("Mul", f"{raw} minus", "negative"),
        _node("Where", f"is_one {raw} negative", out),
    ],
    fault_0=np.int64(0),
    fault_1=np.int64(1),
    minus=np.float32(-1),
)
WRONG_FROM_32_ROWS = after_output(
    lambda raw, out: [
        _node("Shape", raw, "rs"),
        _node("Gather", "rs fault_0", "rn"),
        _node("Less", "rn fault_32", "is_few"),
        _node("Mul", f"{raw} minus", "negative"),
        _node("Where", f"is_few {raw} negative", out),
    ],
    fault_0=np.int64(0),
    fault_32=np.int64(32),
    minus=np.float32(-1),
)
NOISY = after_output(
    lambda raw, out: [
        _node("RandomNormalLike", raw, "noise", scale=0.02),
        _node("Add", f"{raw} noise", out),
    ]
)


def right_on_zeros_only(source: Path, into: Path) -> Path:
    """Answer as the source answers zeros, whatever the floating-point input is."""

    def edit(model: onnx.ModelProto) -> None:
        name = next(each.name for each in model.graph.input if each.type.tensor_type.elem_type == TensorProto.FLOAT)
        for node in model.graph.node:
            node.input[:] = ["only_zeros" if each == name else each for each in node.input]
        model.graph.node.insert(0, _node("Mul", f"{name} nothing", "only_zeros"))
        model.graph.initializer.append(numpy_helper.from_array(np.zeros((), np.float32), "nothing"))

    return _changed(source, into, edit)


def _zeroed(values: Array, part: slice) -> Array:
    values[..., part] = 0
    return values


def _swapped(values: Array) -> Array:
    values[..., [0, 1]] = values[..., [1, 0]]
    return values


def _two_bits(values: Array) -> Array:
    scale = np.abs(values).max()
    return np.asarray(np.round(values / scale) * scale)


def _second_half_lost(values: Array) -> Array:
    values[len(values) // 2 :] = 0
    return values


ANY_OUTPUT = {
    "adds one": ADDS_ONE,
    "scaled": SCALED,
    "constant": CONSTANT,
    "drops the last row": LAST_ROW_DROPPED,
    "drops the last of many rows": LAST_OF_MANY_DROPPED,
    "reverses rows": ROWS_REVERSED,
    "the first row for all": FIRST_ROW_FOR_ALL,
    "NaN in one of 1000 rows": NAN_IN_ONE_OF_1000,
    "NaN from row 999": NAN_FROM_ROW_999,
    "right for one row alone": RIGHT_FOR_ONE_ROW_ALONE,
    "wrong from 32 rows": WRONG_FROM_32_ROWS,
    "noisy": NOISY,
}
"""The faults that any model with a matrix of numbers as its last output may have."""
NEEDS_MANY_ROWS = ("NaN in one of 1000 rows", "NaN from row 999")
BY_MODEL: dict[str, dict[str, Break]] = {
    "mlp": {
        "right on zeros only": right_on_zeros_only,
        "classes swapped": with_weight("w3", _swapped),
        "a layer of two bits": with_weight("w2", _two_bits),
        "a bias lost": with_weight("b3", lambda values: np.array([1, 0, 0, 0])),
        "half of the units lost": with_weight("w2", lambda values: _zeroed(values, slice(0, 32))),
        "an input lost": with_weight("w1", _second_half_lost),
        "a colder softmax": with_weight("w3", lambda values: values * 3),
    },
    "transformer": {
        "no mask in the scores": without_node("mask_scores"),
        "no mask in the mean": without_node("mask_mean"),
        "half of the words lost": with_weight("words", _second_half_lost),
        "the positions lost": with_weight("positions", lambda values: values * 0),
        "far positions lost": with_weight("positions", lambda values: np.where(np.arange(64)[:, None] > 16, 3, values)),
        "attention transposed": with_weight("wq", lambda values: values.T),
        "a layer of two bits": with_weight("wf", _two_bits),
    },
    "conv": {
        "right on zeros only": right_on_zeros_only,
        "colors swapped": with_weight("k1", lambda values: values[:, ::-1]),
        "no relu": without_node("relu1"),
        "shifted by a pixel": with_attribute("conv1", "pads", lambda _: [2, 2, 0, 0]),
        "the norm lost": with_weight("s", lambda values: values * 0 + 1),
        "an output lost": with_weight("w", lambda values: _zeroed(values, slice(3, 4))),
        "filters turned": with_weight("k2", lambda values: values[..., ::-1, ::-1]),
    },
    "trees": {
        "right on zeros only": right_on_zeros_only,
        "thresholds rounded": with_attribute(
            "trees",
            "nodes_values",
            lambda values: [float(round(value)) for value in values],  # type: ignore[call-overload]
        ),
        "features swapped": with_attribute(
            "trees",
            "nodes_featureids",
            lambda values: [{0: 1, 1: 0}.get(value, value) for value in values],  # type: ignore[call-overload]
        ),
        "branches turned": with_attribute(
            "trees", "nodes_modes", lambda values: [b"BRANCH_GT" if mode == b"BRANCH_LEQ" else mode for mode in values]
        ),
        "half of the trees lost": with_attribute(
            "trees", "class_weights", lambda values: [*values[: len(values) // 2], *[0.0] * (len(values) // 2)]
        ),
        "labels renamed": with_attribute("trees", "classlabels_int64s", lambda _: [0, 2, 1]),
    },
    "strings": {
        "right on zeros only": right_on_zeros_only,
        "cities swapped": with_attribute("encoder", "cats_strings", lambda values: [*values[1:], values[0]]),
        "a city forgotten": with_attribute("encoder", "cats_strings", lambda values: [*values[:-1], b"Paris"]),
        "the scaling lost": with_weight("w1", lambda values: np.vstack([values[:5], values[5:] * 0])),
    },
}
"""The faults of each model."""
