"""Decides whether an `Accept` header asks for an event stream, and whether a response is one. This module is pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

EVENT_STREAM = "text/event-stream"
_EVENT_STREAM = EVENT_STREAM.encode()
_JSON_ALSO = ("application/json", "application/*")


@dataclass(frozen=True)
class _Range:
    name: str
    quality: float


def _ranges(accept: str) -> Iterator[_Range]:
    for part in accept.split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        if name:
            yield _Range(name, _quality(parameters))


def _quality(parameters: list[str]) -> float:
    """Return the q value. A value that is no number counts as a missing one."""
    said = next((value for name, _, value in (one.partition("=") for one in parameters) if name == "q"), "1")
    try:
        return float(said)
    except ValueError:
        return 1.0


def prefers_stream(accept: str | None) -> bool:
    """Return whether the client prefers a stream: it must name it, and not rank it below JSON."""
    for one in sorted(_ranges(accept or ""), key=lambda one: -one.quality):
        if one.quality <= 0 or one.name in _JSON_ALSO:
            return False
        if one.name == EVENT_STREAM:
            return True
    return False


def is_stream(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(value == _EVENT_STREAM and name == b"content-type" for name, value in headers)
