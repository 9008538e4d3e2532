import json

import numpy as np
import pytest

from inference.gateway.open_inference.answers import AT_ONCE, GivenOutput, write_answer
from inference.gateway.open_inference.errors import InvalidRequest


def test_json_alone_has_no_header_length() -> None:
    outputs = [GivenOutput("y", np.array([[1.5, 2.0]], np.float32), binary=False)]
    answer = write_answer("adder", 3, "seven", outputs)
    assert answer.header_length is None
    assert answer.content_type == "application/json"
    assert json.loads(answer.body) == {
        "model_name": "adder",
        "model_version": "3",
        "id": "seven",
        "outputs": [{"name": "y", "shape": [1, 2], "datatype": "FP32", "data": [1.5, 2.0]}],
    }


@pytest.mark.parametrize("count", [0, 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE])
def test_any_number_of_values_is_written_as_one_list(count: int) -> None:
    tensor = np.arange(count) / 7
    answer = write_answer("m", 1, None, [GivenOutput("y", tensor, binary=False)])
    assert json.loads(answer.body)["outputs"][0]["data"] == tensor.tolist()


def test_bytes_follow_the_json_in_the_order_of_the_outputs() -> None:
    outputs = [
        GivenOutput("a", np.array([1, 2], np.int16), binary=True),
        GivenOutput("b", np.array([True]), binary=False),
        GivenOutput("c", np.array(["hi"], object), binary=True),
        GivenOutput("d", np.empty((0, 2), np.float32), binary=True),
    ]
    answer = write_answer("m", 1, None, outputs)
    assert answer.content_type == "application/octet-stream"
    said = json.loads(answer.body[: answer.header_length])
    assert "id" not in said
    assert [one.get("parameters") for one in said["outputs"]] == [
        {"binary_data_size": 4},
        None,
        {"binary_data_size": 6},
        {"binary_data_size": 0},
    ]
    assert answer.body[answer.header_length :] == b"\1\0\2\0\2\0\0\0hi"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_json_cannot_say_is_refused_with_the_way_out_and_given_as_bytes(value: float) -> None:
    tensor = np.array([1, value], np.float16)
    with pytest.raises(InvalidRequest, match="Ask for it as bytes"):
        write_answer("m", 1, None, [GivenOutput("y", tensor, binary=False)])
    assert write_answer("m", 1, None, [GivenOutput("y", tensor, binary=True)]).body.endswith(tensor.tobytes())
