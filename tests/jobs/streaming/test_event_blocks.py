"""Tests of the blocks of an event stream."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.streaming.event_blocks import block, close_block, event_block
from jobs.streaming.tails import Delivery
from tests.event_source import said_in


@given(st.dictionaries(st.text(), st.text() | st.integers()))
def test_whatever_an_event_holds_is_read_as_it_was(data: dict[str, object]) -> None:
    event = {"type": "page.succeeded", "data": data}
    (said,) = said_in(event_block(Delivery(event, 7)).decode().split("\n"))
    assert (said.name, said.id, said.data) == ("page.succeeded", "7", event)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_no_line_end_of_the_data_ends_the_block(end: bytes) -> None:
    (said,) = said_in(block(data=b'{"a":' + end + b" 1}").decode().split("\n"))
    assert said.data == {"a": 1}


def test_who_is_sent_away_is_told_why_and_until_when() -> None:
    (said,) = said_in(close_block("restarting", "Come again.", retry_ms=1234).decode().split("\n"))
    assert (said.name, said.retry_ms) == ("close", 1234)
    assert json.loads(said.text[0]) == {"code": "restarting", "detail": "Come again."}
