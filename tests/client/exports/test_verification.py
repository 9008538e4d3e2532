"""Test the comparison of an exported file with the answers of the original."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from maas_client.exports.errors import ExportDiffers
from maas_client.exports.verification import Case, difference, verified


@pytest.fixture
def doubling(tmp_path: Path) -> Path:
    """Return the path of a graph that adds its input to itself."""
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", 2]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y"])], "doubling", value[:1], value[1:])
    path = tmp_path / "doubling.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def case(factor: float, rows: int = 3) -> Case:
    x = np.arange(rows * 2, dtype=np.float32).reshape(rows, 2)
    return Case({"x": x}, {"y": x.astype(np.float64) * factor})


def test_equal_answers_are_verified_over_all_cases(doubling: Path) -> None:
    (found,) = verified(doubling, [case(2), case(2, rows=5)], 1e-6)
    assert (found.output, found.largest, found.values) == ("y", 0.0, 16)


def test_one_answer_beyond_the_tolerance_refuses_the_export(doubling: Path) -> None:
    assert verified(doubling, [case(2.001)], 1e-3)[0].largest == pytest.approx(0.0005, rel=0.01)
    with pytest.raises(ExportDiffers, match=r"y: largest difference 0\.0005; tolerance 0\.0001"):
        verified(doubling, [case(2), case(2.001)], 1e-4)


@pytest.mark.parametrize(
    ("answer", "given", "largest", "unequal"),
    [
        ([1.0, 2.0], [1.0, 2.5], 0.25, 0),
        ([0.0, 0.5], [0.25, 0.5], 0.25, 0),
        ([np.nan, np.inf], [np.nan, np.inf], 0.0, 0),
        ([np.nan, 1.0], [1.0, 1.0], np.inf, 0),
        ([1.0, 1.0], [np.nan, 1.0], np.inf, 0),
        ([np.inf, 1.0], [-np.inf, 1.0], np.inf, 0),
        ([1, 2], [1, 3], 0.0, 1),
        (["a", "b"], ["a", "c"], 0.0, 1),
        ([True, False], [True, False], 0.0, 0),
    ],
)
def test_differences_are_relative_above_one_and_labels_are_counted(
    answer: list[object], given: list[object], largest: float, unequal: int
) -> None:
    found = difference("y", np.array(answer), np.array(given))
    assert (found.largest, found.unequal) == (largest, unequal)


def test_a_last_axis_of_one_is_no_difference_but_a_lost_row_is() -> None:
    assert difference("y", np.zeros(3), np.zeros((3, 1))).largest == 0
    with pytest.raises(ExportDiffers, match=r"shape \(2,\), and the original has \(3,\)"):
        difference("y", np.zeros(3), np.zeros(2))
