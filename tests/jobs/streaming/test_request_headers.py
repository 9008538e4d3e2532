"""Tests of what the headers of a request ask for."""

import pytest

from jobs.streaming.request_headers import prefers_stream, wait_asked_s


@pytest.mark.parametrize(
    ("accept", "prefers"),
    [
        (None, False),
        ("", False),
        ("*/*", False),
        ("text/event-stream", True),
        ("Text/Event-Stream; charset=utf-8", True),
        ("text/event-stream, application/json", True),
        ("application/json, text/event-stream", False),
        ("application/json;q=0.5, text/event-stream", True),
        ("text/event-stream;q=0.5, application/json", False),
        ("text/event-stream, */*;q=0.1", True),
        ("text/event-stream;q=0", False),
        ("text/event-stream;q=0, */*", False),
        ("text/*", False),
        ("text/html", False),
        ("application/json", False),
        ("text/event-stream;q=much", True),
        (",;,", False),
    ],
)
def test_accept_is_read_as_written(accept: str | None, prefers: bool) -> None:
    assert prefers_stream(accept) == prefers


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        (["wait=30"], 30),
        (["WAIT = 5"], 5),
        (['wait="7"'], 7),
        (["wait=0"], 0),
        (["wait=61"], 60),
        (["wait=999999999"], 60),
        (["respond-async, wait=10"], 10),
        (["respond-async", "wait=10"], 10),
        (["return=minimal; x=1, wait=3; foo"], 3),
        (["wait=1, wait=2"], 1),
    ],
)
def test_a_wait_is_read_as_rfc_7240_says(headers: list[str], seconds: int) -> None:
    assert wait_asked_s(headers) == seconds


@pytest.mark.parametrize(
    "headers",
    [[], [""], ["respond-async"], ["wait"], ["wait="], ["wait=-1"], ["wait=1.5"], ["waits=3"], ["wait=²"]],
)
def test_anything_else_asks_for_no_wait(headers: list[str]) -> None:
    assert wait_asked_s(headers) is None
