"""Tests of which requests ask for an event stream."""

import pytest

from jobs.streaming.media_types import prefers_stream


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
