"""Test what a plan reads, and what it leaves to the general way."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from inference.core.contracts import TensorInput, Units, WorkOutput
from inference.gateway.open_inference.plans import MAX_HEADER_BYTES, Plans
from inference.gateway.targets import Target
from inference.rpc.answers import LaneAnswer, write_answer
from inference.rpc.works import read_work, write_work
from tenants.plans.prices import Price

ADDER = Target(
    model="adder",
    number=1,
    runtime="onnx",
    accepts=("tensors",),
    price=Price("call", 10, 1, "EUR"),
    paused_reason="",
    signature={
        "inputs": [
            {"name": "b", "datatype": "FP32", "shape": [-1, 2]},
            {"name": "a", "datatype": "INT64", "shape": [2]},
        ],
        "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 2]}],
    },
)
B: dict[str, Any] = {"name": "b", "datatype": "FP32", "shape": [1, 2], "data": [1, 2.5]}
A: dict[str, Any] = {"name": "a", "datatype": "INT64", "shape": [2], "data": [3, 4]}


def request(*inputs: dict[str, Any], **more: object) -> bytes:
    return json.dumps({"inputs": list(inputs), **more}).encode()


def test_inputs_that_mean_the_same_are_one_message_however_they_are_written() -> None:
    plans = Plans(ADDER)
    body = np.array([1, 2.5], "<f4").tobytes() + np.array([3, 4], "<i8").tobytes()
    in_bytes = [{**one, "parameters": {"binary_data_size": size}} for one, size in ((B, 8), (A, 16))]
    for one in in_bytes:
        del one["data"]
    head = request(*in_bytes)
    work = TensorInput({"a": np.array([3, 4]), "b": np.array([[1, 2.5]], np.float32)})
    expected = write_work(work, {})
    for sent in (request(B, A), request(A, B), request(B, A, id="mine"), request(B, A).replace(b" ", b"")):
        planned = plans.read(sent, len(sent))
        assert planned is not None
        assert planned.payload == expected
    planned = plans.read(head + body, len(head))
    assert planned is not None
    assert planned.payload == expected
    read, _parameters = read_work(planned.payload)
    assert isinstance(read, TensorInput)
    assert {name: tensor.tolist() for name, tensor in read.tensors.items()} == {"a": [3, 4], "b": [[1.0, 2.5]]}


@pytest.mark.parametrize(
    "sent",
    [
        request(B),
        request(B, A, A),
        request(B, {**A, "data": [3, 4.0]}),
        request(B, {**A, "data": [3, 2**63]}),
        request({**B, "data": [1e39, 1]}, A),
        request(B, A, id="x" * 201),
        request(B, A, parameters={"timeout": 5}),
        request(B, A, parameters={"priority": "x" * MAX_HEADER_BYTES}),
        request(B, A)[:-1] + b', "id": "a", "id": "b"}',
        request(B, A) + b" more",
    ],
)
def test_what_is_wrong_or_unusual_is_left_to_the_general_way(sent: bytes) -> None:
    plans = Plans(ADDER)
    right = request(B, A)
    assert plans.read(right, len(right)) is not None
    assert plans.read(sent, len(sent)) is None


def test_models_whose_answers_are_not_tensors_are_left_to_the_general_way() -> None:
    sent = request(B, A)
    config = {"graph": {"accepts": ["tensors"]}}
    assert Plans(replace(ADDER, runtime="graph", config=config)).read(sent, len(sent)) is None


def test_an_answer_is_written_in_the_form_that_was_asked_for() -> None:
    plans = Plans(ADDER)
    made = WorkOutput({}, Units(), tensors={"y": np.array([[4, 6.5]], np.float32)})
    payload = write_answer(LaneAnswer(made, 1.0, 2.0))
    text = json.dumps({"inputs": [B, A], "id": "ä"}, ensure_ascii=False).encode()
    planned = plans.read(text, len(text))
    assert planned is not None
    body, length = plans.answer(planned, payload).body()
    assert length is None
    assert json.loads(body)["id"] == "ä"
    assert json.loads(body)["outputs"] == [{"name": "y", "shape": [1, 2], "datatype": "FP32", "data": [4.0, 6.5]}]
    text = json.dumps({"inputs": [B, A], "parameters": {"binary_data_output": True}}).encode()
    planned = plans.read(text, len(text))
    assert planned is not None
    body, length = plans.answer(planned, payload).body()
    assert length is not None
    assert np.frombuffer(body[length:], "<f4").tolist() == [4.0, 6.5]
