"""Test how many inputs a request contains."""

import numpy as np
import pytest

from inference.core.contracts import TensorInput, TextInput, TokenInput, WorkInput
from inference.runtime.inputs_counted import inputs_in

ROWS = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}]}
SOUND = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [-1]}]}
PICTURE = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [3, -1]}]}


@pytest.mark.parametrize(
    ("signature", "work", "count"),
    [
        ({}, TextInput(("a", "b", "c"), single=False), 3),
        ({}, TextInput((), single=False), 1),
        ({}, TokenInput(((1,), (2, 3)), single=False), 2),
        (ROWS, TensorInput({"x": np.zeros((7, 4), np.float32)}), 7),
        (ROWS, TensorInput({"x": np.zeros((0, 4), np.float32)}), 1),
        (SOUND, TensorInput({"x": np.zeros(16_000, np.float32)}), 1),
        (PICTURE, TensorInput({"x": np.zeros((3, 9), np.float32)}), 1),
        ({}, TensorInput({"x": np.zeros((7, 4), np.float32)}), 1),
    ],
)
def test_texts_and_rows_count_each_and_nothing_counts_for_none(
    signature: dict[str, object], work: WorkInput, count: int
) -> None:
    assert inputs_in(signature, work) == count
