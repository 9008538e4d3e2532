"""Test scores, and the labels that they give."""

import numpy as np
import pytest

from inference.core.contracts import Embedding
from inference.core.errors import ModelFailed
from inference.pipelines.operations import OPERATIONS
from inference.pipelines.operations.values import tensor_of

SOFTMAX, TOP = OPERATIONS["softmax"], OPERATIONS["top_labels"]


def test_chances_sum_to_one_however_large_the_scores() -> None:
    chances = SOFTMAX.run({"tensor": np.array([[1000.0, 1000.0], [-1e30, 1e30]], np.float32)}, {})
    assert chances.tolist() == [[0.5, 0.5], [0.0, 1.0]]


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
def test_chances_of_no_scores_are_none(shape: tuple[int, ...]) -> None:
    assert SOFTMAX.run({"tensor": np.zeros(shape, np.float32)}, {}).shape == shape


def test_labels_come_with_the_highest_first_and_equals_in_their_order() -> None:
    settings = TOP.complete({"labels": ["a", "b", "c"], "most": 2})
    best = TOP.run({"scores": np.array([[0.25, 0.5, 0.25]], np.float32)}, settings)
    assert best == {
        "label": "b",
        "score": 0.5,
        "top": [{"label": "b", "score": 0.5}, {"label": "a", "score": 0.25}],
    }


def test_labels_are_counted_before_any_run_where_the_model_says_its_shape() -> None:
    settings = TOP.complete({"labels": ["a", "b"]})
    TOP.gives({"scores": tensor_of("FP32", shape=(-1, -1))}, settings)
    with pytest.raises(ValueError, match=r"there are 2 labels for scores of the shape \[-1, 3\]"):
        TOP.gives({"scores": tensor_of("FP32", shape=(-1, 3))}, settings)
    with pytest.raises(ValueError, match="'most' is 3, and there are 2 labels"):
        TOP.gives({"scores": tensor_of("FP32")}, TOP.complete({"labels": ["a", "b"], "most": 3}))


def test_other_number_of_scores_in_a_run_is_the_models_fault() -> None:
    with pytest.raises(ModelFailed, match="the model gave 3 scores, and 2 labels are declared"):
        TOP.run({"scores": np.zeros(3, np.float32)}, TOP.complete({"labels": ["a", "b"]}))


NEAREST = OPERATIONS["nearest_label"]
EXAMPLES = np.eye(3, dtype=np.float32)


def test_label_is_that_of_the_nearest_example() -> None:
    settings = NEAREST.complete({"labels": ["a", "b", "a"]})
    found = NEAREST.run({"vector": Embedding("d", (0.6, 0.0, 0.8)), "examples": EXAMPLES}, settings)
    assert found == {"label": "a", "score": 0.8, "scores": {"a": 0.8, "b": 0.0}}


def test_what_is_near_to_nothing_has_the_other_label() -> None:
    settings = NEAREST.complete({"labels": ["a", "b", "c"], "min_score": 0.9, "otherwise": "none"})
    found = NEAREST.run({"vector": Embedding("d", (0.6, 0.0, 0.8)), "examples": EXAMPLES}, settings)
    assert found["label"] == "none"


def test_examples_of_another_model_are_told_by_their_length() -> None:
    with pytest.raises(ModelFailed, match="2 labels are declared for vectors of 2 numbers"):
        NEAREST.run(
            {"vector": Embedding("d", (1.0, 0.0)), "examples": EXAMPLES},
            NEAREST.complete({"labels": ["a", "b"]}),
        )
