"""Who asks for an event stream."""

import pytest

from jobs.live.media_types import prefers_stream, takes_stream


@pytest.mark.parametrize(
    ("accept", "prefers", "takes"),
    [
        (None, False, True),
        ("", False, True),
        ("*/*", False, True),
        ("text/event-stream", True, True),
        ("Text/Event-Stream; charset=utf-8", True, True),
        ("text/event-stream, application/json", True, True),
        ("application/json, text/event-stream", False, True),
        ("application/json;q=0.5, text/event-stream", True, True),
        ("text/event-stream;q=0.5, application/json", False, True),
        ("text/event-stream, */*;q=0.1", True, True),
        ("text/event-stream;q=0", False, False),
        ("text/event-stream;q=0, */*", False, False),
        ("text/*", False, True),
        ("text/html", False, False),
        ("application/json", False, False),
        ("text/event-stream;q=much", True, True),
        (",;,", False, False),
    ],
)
def test_accept_is_read_as_written(accept: str | None, prefers: bool, takes: bool) -> None:
    assert (prefers_stream(accept), takes_stream(accept)) == (prefers, takes)
