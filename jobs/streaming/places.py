"""From where on a caller of an event stream wants to read: `Last-Event-ID`, or `after`; pure."""

from urllib.parse import parse_qsl

from tenants.core.errors import InvalidRequest

MOST_SEQ = 2**31
_LONGEST_TOLD = 60


class InvalidPlace(InvalidRequest):
    code = "invalid_cursor"


def place_asked(last_event_id: str | None, after: str | None) -> str | None:
    """The header counts: a browser that connects again keeps the address of the first time."""
    return (last_event_id or "").strip() or after


def seq_of(place: str | None) -> int:
    """The number of a job's event; 0 is before the first."""
    if place is None:
        return 0
    if not place.isascii() or not place.isdecimal() or len(place) > 10 or int(place) >= MOST_SEQ:
        raise InvalidPlace(
            f"{place[:_LONGEST_TOLD]!r} is not the number of an event of this job. Leave out `Last-Event-ID` and "
            "`after` to begin with the first."
        )
    return int(place)


def parameters(query: bytes, *known: str) -> dict[str, str]:
    """Raises InvalidRequest for a parameter that is not known, or is given twice."""
    found: dict[str, str] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if name not in known or name in found:
            raise InvalidRequest(
                f"A stream does not know the query parameter {name[:_LONGEST_TOLD]!r}; it takes {', '.join(known)}, "
                "each once."
            )
        found[name] = value
    return found
