"""Test the frames between a web process and a worker of the same machine."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.rpc.errors import MessageMalformed
from inference.rpc.frames import Buffer
from inference.rpc.socket_frames import (
    HEAD,
    MAX_FRAME_BYTES,
    VERSION,
    Kind,
    SocketCall,
    answer_parts,
    call_parts,
    frame,
    number_parts,
    read_answers,
    read_calls,
    read_head,
    read_numbers,
    read_serves,
    serves_parts,
)

NAMES = st.text(max_size=40)
CALLS = st.builds(
    SocketCall,
    st.integers(0, 2**64 - 1),
    st.floats(0, 1e9),
    st.floats(0, 1e9),
    NAMES,
    NAMES,
    NAMES,
    st.binary(max_size=100),
)


def body_of(whole: bytes, kind: Kind) -> memoryview:
    assert read_head(whole[: HEAD.size]) == (len(whole) - HEAD.size, kind)
    return memoryview(whole)[HEAD.size :]


def _parts(call: SocketCall) -> Sequence[Buffer]:
    names = (call.model_key, call.tenant, call.coalesce)
    return call_parts(call.number, call.sent_s, call.deadline_s, names, call.payload)


@given(st.lists(CALLS, max_size=5))
def test_calls_come_back_as_they_were_written(calls: list[SocketCall]) -> None:
    whole = frame(Kind.CALLS, [part for call in calls for part in _parts(call)])
    found = list(read_calls(body_of(whole, Kind.CALLS)))
    assert [(one.number, one.model_key, one.tenant, one.coalesce) for one in found] == [
        (one.number, one.model_key, one.tenant, one.coalesce) for one in calls
    ]
    assert [bytes(one.payload) for one in found] == [one.payload for one in calls]
    assert [(one.sent_s, one.deadline_s) for one in found] == [(one.sent_s, one.deadline_s) for one in calls]


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.binary(max_size=100)), max_size=5))
def test_answers_come_back_as_they_were_written(answers: list[tuple[int, bytes]]) -> None:
    whole = frame(Kind.ANSWERS, [part for answer in answers for part in answer_parts(*answer)])
    found = read_answers(body_of(whole, Kind.ANSWERS))
    assert [(number, bytes(payload)) for number, payload in found] == answers


def test_numbers_and_models_come_back_as_they_were_written() -> None:
    assert read_numbers(memoryview(b"".join(number_parts([1, 2**63])))) == [1, 2**63]
    assert read_serves(b"".join(serves_parts({"embed@1": 128}))) == {"embed@1": 128}


@given(st.binary(max_size=200))
def test_other_bytes_are_refused_and_raise_nothing_else(data: bytes) -> None:
    for read in (
        lambda: list(read_calls(memoryview(data))),
        lambda: list(read_answers(memoryview(data))),
        lambda: read_numbers(memoryview(data)),
        lambda: read_serves(data),
    ):
        try:
            read()
        except MessageMalformed:
            continue


@pytest.mark.parametrize(
    "head",
    [HEAD.pack(1, VERSION + 1, 1), HEAD.pack(1, VERSION, 99), HEAD.pack(MAX_FRAME_BYTES + 1, VERSION, 1)],
)
def test_a_head_of_another_version_kind_or_size_is_refused(head: bytes) -> None:
    with pytest.raises(MessageMalformed):
        read_head(head)
