import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.gateway.open_inference.errors import InvalidRequest
from inference.gateway.open_inference.grpc.messages import message
from inference.gateway.open_inference.grpc.wire import (
    MAX_FIELDS,
    MAX_FIELDS_WITHIN,
    RAW,
    split_request,
    written_field,
)

Request = message("ModelInferRequest")


def in_field(number: int, content: bytes) -> bytes:
    return b"".join(written_field(number, content))


@given(
    names=st.lists(st.text(max_size=20), max_size=5),
    raw=st.lists(st.binary(max_size=300), max_size=5),
    shape=st.lists(st.integers(-(2**63), 2**63 - 1), max_size=5),
)
def test_bytes_of_tensors_are_found_and_the_rest_is_the_same_message(
    names: list[str], raw: list[bytes], shape: list[int]
) -> None:
    whole = Request(model_name="m", inputs=[{"name": name, "shape": shape} for name in names], raw_input_contents=raw)
    split = split_request(whole.SerializeToString())
    assert [bytes(one) for one in split.raw] == raw
    del whole.raw_input_contents[:]
    assert Request.FromString(split.head) == whole


@given(st.binary(max_size=200))
def test_any_bytes_are_split_or_refused(written: bytes) -> None:
    try:
        split = split_request(written)
    except InvalidRequest:
        return
    assert len(split.head) + sum(len(one) for one in split.raw) <= len(written)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (b"\x0b", "field of the kind 3"),
        (b"\x0a\x05ab", "longer than what holds it"),
        (b"\x09\x01", "longer than what holds it"),
        (b"\x08", "an end within a number"),
        (b"\xff" * 11, "more than ten bytes"),
        (in_field(5, b"\x0a\x05ab"), "longer than what holds it"),
    ],
)
def test_what_is_no_message_is_refused(written: bytes, words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        split_request(written)


@pytest.mark.parametrize("number", [4, 5, RAW, 1000])
def test_parts_are_counted_before_they_take_memory(number: int) -> None:
    part = in_field(number, b"")
    split_request(part * MAX_FIELDS)
    with pytest.raises(InvalidRequest, match=f"more than {MAX_FIELDS} fields"):
        split_request(part * (MAX_FIELDS + 1))


@pytest.mark.parametrize("number", [5, 6])
def test_parts_of_a_tensor_are_counted_too(number: int) -> None:
    parameter = in_field(4, in_field(1, b"name"))
    split_request(in_field(number, parameter * MAX_FIELDS_WITHIN))
    with pytest.raises(InvalidRequest, match=f"more than {MAX_FIELDS_WITHIN} fields"):
        split_request(in_field(number, parameter * (MAX_FIELDS_WITHIN + 1)))
