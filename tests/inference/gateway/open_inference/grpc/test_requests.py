from typing import Any

import numpy as np
import pytest

from inference.gateway.open_inference.errors import InvalidRequest
from inference.gateway.open_inference.grpc import values
from inference.gateway.open_inference.grpc.messages import message
from inference.gateway.open_inference.grpc.requests import read_call
from inference.gateway.open_inference.grpc.wire import split_request
from inference.gateway.open_inference.requests import InferRequest


def read(raw: list[bytes] | None = None, **fields: Any) -> InferRequest:
    written = message("ModelInferRequest")(raw_input_contents=raw or [], **fields)
    return read_call(split_request(written.SerializeToString())).request()


def one(datatype: str, shape: list[int], **contents: Any) -> dict[str, Any]:
    return {"name": "x", "datatype": datatype, "shape": shape, "contents": contents}


@pytest.mark.parametrize(
    ("datatype", "contents", "dtype"),
    [
        ("BOOL", {"bool_contents": [True, False]}, np.bool_),
        ("INT8", {"int_contents": [-128, 127]}, np.int8),
        ("INT16", {"int_contents": [-5, 5]}, np.int16),
        ("INT32", {"int_contents": [-(2**31), 5]}, np.int32),
        ("INT64", {"int64_contents": [-(2**63), 5]}, np.int64),
        ("UINT8", {"uint_contents": [0, 255]}, np.uint8),
        ("UINT16", {"uint_contents": [0, 65535]}, np.uint16),
        ("UINT32", {"uint_contents": [0, 2**32 - 1]}, np.uint32),
        ("UINT64", {"uint64_contents": [0, 2**64 - 1]}, np.uint64),
        ("FP32", {"fp32_contents": [1.5, float("nan")]}, np.float32),
        ("FP64", {"fp64_contents": [1e300, float("-inf")]}, np.float64),
    ],
)
def test_numbers_written_one_by_one_are_tensors(datatype: str, contents: dict[str, Any], dtype: type) -> None:
    tensor = read(inputs=[one(datatype, [2, 1], **contents)]).tensors["x"]
    assert (tensor.dtype, tensor.shape) == (np.dtype(dtype), (2, 1))
    np.testing.assert_array_equal(tensor.ravel(), next(iter(contents.values())))


def test_texts_written_one_by_one_are_tensors() -> None:
    tensor = read(inputs=[one("BYTES", [2], bytes_contents=["ä".encode(), b""])]).tensors["x"]
    assert tensor.tolist() == ["ä", ""]


def test_many_numbers_are_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "AT_ONCE", 3)
    tensor = read(inputs=[one("INT64", [7], int64_contents=range(7))]).tensors["x"]
    assert tensor.tolist() == list(range(7))


def test_bytes_are_for_the_inputs_in_their_order() -> None:
    inputs = [{"name": name, "datatype": "INT8", "shape": [2]} for name in "ab"]
    tensors = read([b"\x01\x02", b"\x03\xff"], inputs=inputs).tensors
    assert {name: tensor.tolist() for name, tensor in tensors.items()} == {"a": [1, 2], "b": [3, -1]}


def test_no_value_takes_its_own_memory_where_it_came_as_bytes() -> None:
    raw = np.arange(1000, dtype=np.float32).tobytes()
    tensor = read([raw], inputs=[{"name": "x", "datatype": "FP32", "shape": [1000]}]).tensors["x"]
    assert not tensor.flags.owndata


def test_the_rest_of_a_request_is_read_as_from_json() -> None:
    request = read(
        id="7",
        parameters={
            "timeout": {"int64_param": 2_000_000},
            "a": {"string_param": "b"},
            "c": {"bool_param": True},
            "d": {"double_param": 0.5},
            "e": {"uint64_param": 2**64 - 1},
        },
        outputs=[{"name": "y"}],
    )
    assert (request.id, request.timeout_s) == ("7", 2.0)
    assert request.parameters == {"a": "b", "c": True, "d": 0.5, "e": 2**64 - 1}
    assert [(output.name, output.binary) for output in request.wanted] == [("y", True)]
    assert read().id is None


RAW_X = {"name": "x", "datatype": "FP32", "shape": [1]}


@pytest.mark.parametrize(
    ("raw", "fields", "words"),
    [
        ([b"1234", b""], {"inputs": [RAW_X]}, "1 inputs and 2 raw_input_contents"),
        ([b"1234"], {"inputs": [one("FP32", [1], fp32_contents=[1])]}, "both fp32_contents and raw"),
        ([b"123"], {"inputs": [RAW_X]}, "has 3 bytes; FP32 of the shape"),
        ([b"1234"], {"inputs": [{**RAW_X, "datatype": "BF16"}]}, "'BF16'"),
        ([b""], {"inputs": [{**RAW_X, "shape": [-1]}]}, "must be a list of at most"),
        ([b""], {"inputs": [{**RAW_X, "shape": [2**41]}]}, "must be a list of at most"),
        ([b"", b""], {"inputs": [{**RAW_X, "shape": [0]}] * 2}, "given twice"),
        ([], {"inputs": [one("INT8", [1], int_contents=[300])]}, "a value that is not INT8"),
        (
            [],
            {"inputs": [one("UINT8", [1], int_contents=[3])]},
            "belong into uint_contents; it has int_contents",
        ),
        ([], {"inputs": [one("FP16", [1], fp32_contents=[3])]}, "travel as bytes, in raw_input_contents"),
        ([], {"inputs": [one("FP32", [2], fp32_contents=[3])]}, "has 1 values, but the shape"),
        ([], {"inputs": [one("BYTES", [1], bytes_contents=[b"\xff"])]}, "is not UTF-8"),
        ([], {"inputs": [one("FP32", [])]}, "has 0 values"),
        ([], {"parameters": {"a": {}}}, "must be a number, a text, true or false; it is null"),
        ([], {"parameters": {"sequence_id": {"int64_param": 3}}}, "Sequences are not supported"),
        (
            [],
            {"outputs": [{"name": "y", "parameters": {"classification": {"int64_param": 3}}}]},
            "classification",
        ),
        (
            [],
            {"inputs": [{**RAW_X, "parameters": {"shared_memory_region": {"string_param": "r"}}}]},
            "Shared memory",
        ),
        ([], {"id": "x" * 201}, "`id` has 201 characters"),
    ],
)
def test_what_does_not_add_up_is_refused(raw: list[bytes], fields: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        read(raw, **fields)


def test_texts_of_all_inputs_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MAX_TEXTS", 3)
    inputs = [{**one("BYTES", [2], bytes_contents=[b"a", b"b"]), "name": name} for name in "xy"]
    with pytest.raises(InvalidRequest, match="more than 3 texts"):
        read(inputs=inputs)
    with pytest.raises(InvalidRequest, match="has 4 texts"):
        read(inputs=[one("BYTES", [4], bytes_contents=[b""] * 4)])


def test_a_version_is_part_of_what_is_asked() -> None:
    written = message("ModelInferRequest")(model_name="m", model_version="3").SerializeToString()
    assert read_call(split_request(written)).reference == "m@3"
