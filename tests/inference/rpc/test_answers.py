from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.core.contracts import Embedding, Json, Units, WorkOutput, WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed, ModelOverloaded, StepFailed
from inference.rpc.answers import LaneAnswer, SpentMs, WorkError, read_answer, write_answer, write_error
from inference.rpc.errors import LaneUnavailable, MessageMalformed
from inference.rpc.frames import pack

NUMBERS = st.lists(st.floats(allow_nan=False) | st.integers(), max_size=40) | st.lists(
    st.floats(allow_nan=False), min_size=16, max_size=40
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | NUMBERS,
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_results_come_back_as_they_were_whether_or_not_their_numbers_are_lifted(
    result: dict[str, Json],
) -> None:
    answer = LaneAnswer(WorkOutput(result), 0.5, 1.25, SpentMs(0.25, 0.125, 1.0))
    read = read_answer(write_answer(answer))
    assert read == answer
    assert repr(read.output.result) == repr(result)


def test_units_steps_and_the_embedding_come_back() -> None:
    vector = tuple(number / 7 for number in range(384))
    output = WorkOutput({}, Units(pages=1, tokens=7, calls=2, device_us=9), Embedding("sha", vector), {"read": 0.25})
    assert read_answer(write_answer(LaneAnswer(output, 1, 2))).output == output


def test_an_answer_of_a_worker_of_an_older_version_is_read() -> None:
    written = pack({"result": {}, "units": [0, 1, 0], "ms": [1.0, 2.0], "lifted": [], "steps": {}})
    assert read_answer(written) == LaneAnswer(WorkOutput({}, Units(0, 1, 0)), 1.0, 2.0)


def test_long_lists_of_numbers_travel_as_eight_bytes_each() -> None:
    vectors = [[number / 3 for number in range(384)] for _ in range(10)]
    assert len(write_answer(LaneAnswer(WorkOutput({"embeddings": vectors}), 0, 0))) < 8 * 3840 + 600


@pytest.mark.parametrize(
    "tensor",
    [
        np.array([[1.5, np.nan], [np.inf, -0.0]], np.float32),
        np.array([True, False]),
        np.array(["ä", ""], object),
        np.array(7, np.int64),
        np.empty((0, 3), np.float16),
    ],
    ids=lambda tensor: str(tensor.dtype),
)
def test_tensors_come_back_as_they_were_beside_lists_that_are_lifted(tensor: npt.NDArray[Any]) -> None:
    result = {"numbers": [number / 3 for number in range(40)]}
    output = WorkOutput(result, tensors={"y": tensor, "z": np.arange(3)})
    read = read_answer(write_answer(LaneAnswer(output, 0, 0))).output
    assert read.result == result
    assert read.tensors is not None
    np.testing.assert_array_equal(read.tensors["y"], tensor)
    assert (read.tensors["y"].dtype, read.tensors["y"].shape) == (tensor.dtype, tensor.shape)


@pytest.mark.parametrize("said", [7, [["y", "FP32", [1]]], [], [["y", "FP32", [2]]] * 2])
def test_tensors_without_their_values_are_malformed(said: Json) -> None:
    answer = {"result": {}, "units": [0, 0, 1], "ms": [0, 0], "steps": {}, "tensors": said}
    buffers = [] if said != [] else [b"1234"]
    with pytest.raises(MessageMalformed):
        read_answer(pack(answer, buffers))


@pytest.mark.parametrize(
    "error",
    [
        WorkRefused("input_empty", "the text is empty"),
        ModelFailed("model_not_servable", "no", retryable=True),
        ModelFailed("model_output_invalid", "no"),
        ModelOverloaded("4096 wait; try again"),
        DeadlinePassed("too late"),
        LaneUnavailable("the input is gone from Redis"),
        CallCanceled(),
        StepFailed("rank", "model_output_invalid", "no rows", retryable=True),
    ],
)
def test_every_error_is_raised_again_as_what_it_was(error: WorkError) -> None:
    with pytest.raises(type(error)) as raised:
        read_answer(write_error(error))
    assert type(raised.value) is type(error)
    assert vars(raised.value) == vars(error)
    assert str(raised.value) == str(error)


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"error": {"kind": "new"}},
        {"error": 7},
        {"result": {}, "units": [1], "ms": [0, 0], "steps": {}},
        {"result": {}, "lifted": [["f", "result", "x"]], "units": [0, 0, 1], "ms": [0, 0], "steps": {}},
        {"result": {}, "lifted": 7, "units": [0, 0, 1], "ms": [0, 0], "steps": {}},
    ],
)
def test_an_answer_that_says_nothing_known_is_malformed(header: dict[str, Json]) -> None:
    with pytest.raises(MessageMalformed):
        read_answer(pack(header))
