import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.core.contracts import Json
from inference.gateway.open_inference.errors import InvalidRequest
from inference.gateway.open_inference.requests import (
    InferRequest,
    WantedOutput,
    json_length,
    read_request,
    wants_only_ready,
)
from tenants.core.errors import DomainError


def read(raw: bytes, header: str | None) -> InferRequest:
    return read_request(raw, json_length(header, len(raw), 8 << 20))


def tensor(**changes: Json) -> dict[str, Json]:
    return {"name": "x", "datatype": "FP32", "shape": [2], "data": [1, 2], **changes}


def in_bytes(size: Json, **changes: Json) -> dict[str, Json]:
    return {
        "name": "x",
        "datatype": "FP32",
        "shape": [2],
        "parameters": {"binary_data_size": size},
        **changes,
    }


def body(inputs: Json, **more: Json) -> bytes:
    return json.dumps({"inputs": inputs, **more}).encode()


def both(inputs: Json, binary: bytes, **more: Json) -> tuple[bytes, str]:
    text = body(inputs, **more)
    return text + binary, str(len(text))


def test_json_alone_is_enough() -> None:
    request = read(body([tensor()], id="seven", parameters={"min_confidence": 0.5}), None)
    assert request.tensors["x"].tolist() == [1.0, 2.0]
    assert (request.id, request.wanted, request.all_binary) == ("seven", (), False)
    assert (request.timeout_s, request.parameters) == (None, {"min_confidence": 0.5})


def test_bytes_follow_in_the_order_of_the_inputs_that_have_some() -> None:
    inputs = [in_bytes(8), tensor(name="y"), in_bytes(3, name="z", shape=[3], datatype="UINT8")]
    request = read(*both(inputs, np.array([1.5, -2], "<f4").tobytes() + b"\1\2\3"))
    values = {name: one.tolist() for name, one in request.tensors.items()}
    assert values == {"x": [1.5, -2.0], "y": [1.0, 2.0], "z": [1, 2, 3]}


def test_tensors_may_be_empty_or_a_single_value() -> None:
    inputs = [
        in_bytes(0, shape=[0, 3]),
        tensor(name="y", shape=[], data=[7]),
        tensor(name="z", shape=[0], data=[]),
    ]
    request = read(*both(inputs, b""))
    assert {name: one.shape for name, one in request.tensors.items()} == {"x": (0, 3), "y": (), "z": (0,)}


@pytest.mark.parametrize(
    ("more", "wanted", "all_binary"),
    [
        ({}, (), False),
        ({"outputs": []}, (), False),
        ({"parameters": {"binary_data_output": True}}, (), True),
        ({"outputs": [{"name": "y"}]}, (WantedOutput("y", False),), False),
        (
            {
                "outputs": [{"name": "y"}, {"name": "z", "parameters": {"binary_data": False}}],
                "parameters": {"binary_data_output": True},
            },
            (WantedOutput("y", True), WantedOutput("z", False)),
            True,
        ),
    ],
)
def test_an_output_is_wanted_as_it_says_itself_or_as_the_request_does(
    more: dict[str, Json], wanted: tuple[WantedOutput, ...], all_binary: bool
) -> None:
    request = read(body([tensor()], **more), None)
    assert (request.wanted, request.all_binary) == (wanted, all_binary)


def test_what_is_reserved_is_not_passed_to_the_model() -> None:
    parameters = {
        "timeout": 1_500_000,
        "priority": 3,
        "sequence_id": 0,
        "binary_data_output": False,
        "own": 1,
    }
    request = read(body([tensor()], parameters=parameters), None)
    assert (request.timeout_s, request.parameters) == (1.5, {"own": 1})


@pytest.mark.parametrize("length", ["-1", "1.5", "", "x", "+3", " 3", "٣", "1000", "9" * 5000])
def test_a_header_length_that_cannot_be_is_refused(length: str) -> None:
    with pytest.raises(InvalidRequest, match="Inference-Header-Content-Length is"):
        read(b"{}", length)


DEEP = b'{"inputs": ' + b"[" * 10**6


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "cannot be read as JSON"),
        (b"[]", "must be a JSON object; it is a list"),
        (b"{}", "`inputs` must be a list"),
        (b"\xff\xfe\xfd", "cannot be read as JSON"),
        (DEEP, "cannot be read as JSON"),
        (b'{"inputs": [7]}', "`inputs` must be a list of objects"),
        (b'{"inputs": {}}', "`inputs` must be a list of objects"),
        (b'{"inputs": [{"data": [NaN]}]}', "JSON has no NaN; send such values as bytes"),
        (b'{"inputs": [{"data": [-Infinity]}]}', "JSON has no -Infinity"),
        (b'{"inputs": [{"data": [' + b"9" * 5000 + b"]}]}", "cannot be read as JSON"),
    ],
    ids=lambda value: str(value[:12]),
)
def test_a_body_that_is_no_request_is_refused(raw: bytes, words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        read(raw, None)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ([tensor(name="")], r"inputs\[0\] must have a name"),
        ([tensor(name="x" * 201)], r"inputs\[0\] must have a name"),
        ([tensor(), tensor()], "'x' is given twice"),
        ([tensor(data=[1])], "1 values, but the shape"),
        ([tensor(shape=[-2])], "has the shape"),
        ([tensor(shape=[10**4000, 10**4000])], "has the shape"),
        ([tensor(shape=[2**40] * 16)], "2 values, but the shape"),
        ([tensor(data=["1", "2"])], "which is not FP32"),
        ([tensor(datatype="INT8", data=[1, 300])], "not INT8"),
        ([tensor(datatype="BF16")], "BOOL"),
        ([{"name": "x"}], "must be an object with name, datatype, shape and data"),
        ([tensor(parameters=[])], r"`parameters` of inputs\[0\] must be an object"),
        ([in_bytes(-1)], "says that it has -1 bytes; 8 are left"),
        ([in_bytes(9)], "says that it has 9 bytes; 8 are left"),
        ([in_bytes(True)], "says that it has true bytes"),
        ([in_bytes("8")], "says that it has '8' bytes"),
        ([in_bytes(8), in_bytes(1, name="y")], r"inputs\[1\] says that it has 1 bytes; 0 are left"),
        ([in_bytes(4, shape=[1])], "4 bytes of the body belong to no input"),
        ([in_bytes(8, data=[1, 2])], "both `data` and binary_data_size"),
        ([in_bytes(8, shape="2")], "must have a name, a datatype and a shape"),
        ([tensor(parameters={"binary_data_size": [8]})], r"of inputs\[0\] must be a number"),
        ([tensor(shape=[[[1] * 1000]])], "must be a list of sizes"),
        ([tensor(name=f"x{n}") for n in range(65)], "`inputs` has 65 objects; at most 64"),
        ([tensor(parameters={"shared_memory_region": "r"})], "Shared memory is not for callers"),
    ],
)
def test_inputs_that_do_not_add_up_are_refused(inputs: Json, words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        read(*both(inputs, bytes(8)))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"id": 7}, "`id` must be text; it is 7"),
        ({"outputs": {}}, "`outputs` must be a list"),
        ({"outputs": [{"name": "y"}, {"name": "y"}]}, "'y' is asked for twice"),
        ({"outputs": [{"name": "y", "parameters": {"classification": 3}}]}, "classification extension"),
        ({"outputs": [{"name": "y", "parameters": {"shared_memory_region": "r"}}]}, "Shared memory"),
        ({"outputs": [{"name": "y", "parameters": {"binary_data": 1}}]}, "must be true or false"),
        ({"parameters": {"binary_data_output": "yes"}}, "`binary_data_output` must be true or false"),
        ({"parameters": {"sequence_id": 4}}, "Sequences are not supported"),
        ({"parameters": {"sequence_start": True}}, "Sequences are not supported"),
        ({"parameters": {"timeout": -1}}, "whole number of microseconds"),
        ({"parameters": {"timeout": "5"}}, "whole number of microseconds"),
        (
            {"parameters": {"truncate": [1] * 1000}},
            "'truncate' of the request must be a number.*it is a list",
        ),
        ({"parameters": {"a": {}}}, "it is an object"),
        ({"parameters": {"a": "x" * 1001}}, "has 1001 characters; at most 1000"),
        ({"parameters": {"a" * 201: 1}}, "a name of 201 characters"),
        ({"parameters": {f"p{n}": 1 for n in range(65)}}, "has 65 parameters; at most 64"),
        ({"outputs": [{"name": "y", "parameters": {"a": []}}]}, r"'a' of outputs\[0\] must be"),
        ({"outputs": [{"name": f"y{n}"} for n in range(65)]}, "`outputs` has 65 objects; at most 64"),
        ({"id": "7" * 201}, "`id` has 201 characters"),
        ({"parameters": 7}, "`parameters` of the request must be an object"),
    ],
)
def test_what_is_asked_beside_the_inputs_is_checked(more: dict[str, Json], words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        read(body([tensor()], **more), None)


ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
INPUTS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["x", "y"]) | ANYTHING,
            "datatype": st.sampled_from(["FP32", "BYTES", "BOOL", "INT8"]) | ANYTHING,
            "shape": st.lists(st.integers(-1, 3), max_size=3) | ANYTHING,
            "data": st.lists(st.integers(-3, 300) | st.text(max_size=3), max_size=9) | ANYTHING,
            "parameters": st.fixed_dictionaries({}, optional={"binary_data_size": st.integers(-1, 20)}) | ANYTHING,
        },
    ),
    max_size=3,
)


@given(
    INPUTS | ANYTHING,
    st.dictionaries(st.sampled_from(["id", "outputs", "parameters"]), ANYTHING),
    st.binary(max_size=30),
)
def test_any_request_is_read_or_refused(inputs: Json, more: dict[str, Json], binary: bytes) -> None:
    refusal = None
    try:
        read(*both(inputs, binary, **more))
    except InvalidRequest as refused:
        refusal = refused
    assert refusal is None or len(refusal.detail) < 2000


@given(st.binary(max_size=60), st.none() | st.text(max_size=5))
def test_any_bytes_are_read_or_refused(raw: bytes, length: str | None) -> None:
    with pytest.raises(InvalidRequest):
        read(raw, length)


@pytest.mark.parametrize(
    ("raw", "only_ready"),
    [(b"", False), (b"{}", False), (b'{"ready": true}', True), (b'{"ready":false}', False)],
)
def test_the_index_is_asked_for_everything_unless_it_says_otherwise(raw: bytes, only_ready: bool) -> None:
    assert wants_only_ready(raw) == only_ready


@pytest.mark.parametrize("counts", [(100_001,), (60_000, 40_001)])
def test_texts_as_bytes_are_bounded_over_all_inputs(counts: tuple[int, ...]) -> None:
    inputs = [in_bytes(4 * count, name=f"x{count}", shape=[count], datatype="BYTES") for count in counts]
    with pytest.raises(InvalidRequest, match="100000"):
        read(*both(inputs, bytes(4 * sum(counts))))


def test_json_beyond_its_limit_is_refused_and_the_way_out_named() -> None:
    assert json_length("10", 1000, 10) == 10
    for header, size in (("11", 1000), (None, 11)):
        with pytest.raises(DomainError, match=r"11 bytes; at most 10 are read. Send .* as bytes") as refused:
            json_length(header, size, 10)
        assert refused.value.code == "request_too_large"


def test_json_of_too_many_parts_is_refused_before_it_is_read() -> None:
    with pytest.raises(InvalidRequest, match="more than 100000 lists"):
        read(body([tensor(data=[[]] * 100_000)]), None)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b" " * 5000, "at most 4096"),
        (b'{"ready": ' + b"[" * 900 + b"]" * 900 + b"}", "must be true or false; it is a list"),
    ],
)
def test_what_is_asked_of_the_index_is_short_and_told_shortly(raw: bytes, words: str) -> None:
    with pytest.raises(DomainError, match=words):
        wants_only_ready(raw)
