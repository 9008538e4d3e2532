"""Reads what the headers and the query of a request ask for: a stream, its beginning, a wait. This module is pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl

from tenants.core.errors import InvalidRequest

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
    quality = next(
        (value for name, _, value in (parameter.partition("=") for parameter in parameters) if name == "q"),
        "1",
    )
    try:
        return float(quality)
    except ValueError:
        return 1.0


def prefers_stream(accept: str | None) -> bool:
    """Return whether the client prefers a stream: it must name it, and not rank it below JSON."""
    for media_range in sorted(_ranges(accept or ""), key=lambda media_range: -media_range.quality):
        if media_range.quality <= 0 or media_range.name in _JSON_ALSO:
            return False
        if media_range.name == EVENT_STREAM:
            return True
    return False


def is_stream(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(value == _EVENT_STREAM and name == b"content-type" for name, value in headers)


LONGEST_WAIT_S = 60


def wait_asked_s(prefer: Iterable[str]) -> int | None:
    """Return the seconds of `wait=N`, at most 60, else None. `respond-async` changes nothing (RFC 7240)."""
    for preference in ",".join(prefer).split(","):
        name, _, value = preference.split(";")[0].partition("=")
        if name.strip().lower() == "wait":
            number = value.strip().strip('"')
            # The first one of several counts, even if it is invalid.
            return min(int(number), LONGEST_WAIT_S) if number.isdecimal() and len(number) < 10 else None
    return None


MAX_SEQ = 2**31
_LONGEST_TOLD = 60


class InvalidPosition(InvalidRequest):
    code = "invalid_cursor"


def place_asked(last_event_id: str | None, after: str | None) -> str | None:
    """Return the requested position. The header wins, because a reconnecting browser keeps its first URL."""
    return (last_event_id or "").strip() or after


def seq_of(position: str | None) -> int:
    """Return the number of the job's event in the header. 0 means before the first event."""
    if position is None:
        return 0
    if not position.isascii() or not position.isdecimal() or len(position) > 10 or int(position) >= MAX_SEQ:
        raise InvalidPosition(
            f"{position[:_LONGEST_TOLD]!r} is not an event number of this job. Leave out `Last-Event-ID` and "
            "`after` to start with the first event."
        )
    return int(position)


def parameters(query: bytes, *allowed: str) -> dict[str, str]:
    """Return the query parameters. Raises InvalidRequest for a parameter that is unknown or is given twice."""
    found: dict[str, str] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if name not in allowed or name in found:
            raise InvalidRequest(
                f"Unknown or repeated query parameter {name[:_LONGEST_TOLD]!r}. Use {', '.join(allowed)}, each once."
            )
        found[name] = value
    return found
