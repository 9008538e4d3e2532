"""Reads the position from which a caller wants to read an event stream: `Last-Event-ID` or `after`."""

from urllib.parse import parse_qsl

from tenants.core.errors import InvalidRequest

MAX_SEQ = 2**31
_LONGEST_TOLD = 60


class InvalidPosition(InvalidRequest):
    code = "invalid_cursor"


def place_asked(last_event_id: str | None, after: str | None) -> str | None:
    """Return the requested position. The header wins, because a reconnecting browser keeps its first URL."""
    return (last_event_id or "").strip() or after


def seq_of(place: str | None) -> int:
    """Return the number of a job's event. 0 stands for the position before the first event."""
    if place is None:
        return 0
    if not place.isascii() or not place.isdecimal() or len(place) > 10 or int(place) >= MAX_SEQ:
        raise InvalidPosition(
            f"{place[:_LONGEST_TOLD]!r} is not an event number of this job. Leave out `Last-Event-ID` and "
            "`after` to start with the first event."
        )
    return int(place)


def parameters(query: bytes, *known: str) -> dict[str, str]:
    """Return the query parameters. Raises InvalidRequest for a parameter that is unknown or is given twice."""
    found: dict[str, str] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if name not in known or name in found:
            raise InvalidRequest(
                f"Unknown or repeated query parameter {name[:_LONGEST_TOLD]!r}. Use {', '.join(known)}, "
                "each once."
            )
        found[name] = value
    return found
