import json

import numpy as np
import pytest

from inference.core.contracts import WorkOutput
from inference.gateway.open_inference.answer_sizes import listed_bytes, said_bytes, written_bytes
from inference.gateway.open_inference.answers import GivenOutput, write_answer
from inference.runtime.tensors import Array


@pytest.mark.parametrize(
    "tensor",
    [
        np.linspace(-1e-300, 1e300, 3000),
        np.full(3000, -(2**63)),
        np.array(["a text of some length"] * 3000, object),
        np.ones(5000, bool),
    ],
    ids=lambda tensor: str(tensor.dtype),
)
@pytest.mark.parametrize("binary", [False, True])
def test_no_answer_is_larger_than_it_was_taken_for(tensor: Array, binary: bool) -> None:
    outputs = [GivenOutput("y", tensor, binary)]
    assert len(write_answer("m", 1, None, outputs).body) <= written_bytes(outputs) + 200


def test_only_texts_are_gone_through() -> None:
    texts = GivenOutput("t", np.array(["a", "b"], object), binary=False)
    assert listed_bytes([texts, GivenOutput("n", np.zeros(1000), binary=False)]) == 16


@pytest.mark.parametrize(
    "result", [{"text": "a" * 5000}, {"lines": [{"text": "abc"}] * 1000}, {"numbers": [1.5] * 9000}]
)
def test_a_long_result_is_told_from_a_short_one(result: dict[str, object]) -> None:
    output = WorkOutput(result)
    assert said_bytes(output, 4000) == 4000
    assert said_bytes(output, 10**6) >= len(json.dumps(result)) / 6
    assert said_bytes(WorkOutput({"text": "a"}), 4000) < 100
