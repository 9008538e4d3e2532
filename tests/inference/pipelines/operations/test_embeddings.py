import numpy as np
import pytest

from inference.core.contracts import Embedding
from inference.core.errors import ModelFailed
from inference.pipelines.operations import OPERATIONS

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
