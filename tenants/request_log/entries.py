"""An entry of the request log. Pure, and without anything that must stay secret."""

import json
import re
from typing import Any, NamedTuple, Self

import msgspec

LONGEST_PATH = 300
LONGEST_PROBLEM = 8_000
"""The most bytes of a refusal's body. Under `/v1` the body contains its message twice."""
LONGEST_MADE = 200
TOLD = frozenset({"limit", "cursor", "include", "state", "model", "document", "before", "after", "order", "sort"})
"""The query parameters whose values are logged. Those of others may be tickets or searched texts."""
HIDDEN = "…"
_encode = msgspec.json.Encoder().encode
_KEY = re.compile(r"(maas_(?:live|test)_(?:[a-z][a-z0-9-]{0,15}_)?[0-9A-Za-z]{12})_[0-9A-Za-z]+")


class LogEntry(NamedTuple):
    """An entry. It is a named tuple, since many are made in a moment and written as lists."""

    id: str
    at: float
    """The time at which the request arrived, in seconds since 1970."""
    ms: float
    """The milliseconds from arrival to the last byte, waiting included; for a socket, to its opening or refusal."""
    method: str
    path: str
    status: int
    request_id: str
    key_id: str
    """The id of the key; empty for a signed-in person."""
    user_id: str
    client: str
    """The description that the client sent of itself."""
    problem: str
    """The body of a refusal as JSON; empty otherwise."""
    made: str = ""
    """The location of the created object; empty if none was created, and in entries of an older version."""

    def to_text(self) -> str:
        return _encode(self).decode()

    @classmethod
    def from_text(cls, text: str | bytes) -> Self | None:
        """Parse an entry. Return None for an entry of an older or newer version of this product."""
        try:
            return cls(*json.loads(text))
        except (ValueError, TypeError):
            return None

    @property
    def problem_words(self) -> tuple[str, str]:
        """Return the code and message of a refusal in any protocol. They are empty if there are none."""
        match self.problem_fields:
            case {"error": {"code": code, "message": str(detail)}} | {"code": code, "error": str(detail)}:
                return str(code), detail
            case {"code": code, **rest}:
                return str(code), str(rest.get("detail", ""))
        return "", ""

    @property
    def problem_fields(self) -> dict[str, Any]:
        """Return the fields of the refusal. They are empty if there are none or if the body cannot be parsed."""
        try:
            fields = json.loads(self.problem or "{}")
        except ValueError:
            return {}
        return fields if isinstance(fields, dict) else {}


def without_keys(text: str) -> str:
    """Replace full keys with their prefix."""
    return _KEY.sub(rf"\1_{HIDDEN}", text) if "maas_" in text else text


def told_path(path: str, query: bytes) -> str:
    """Return the path for the log. The query stays encoded, so that an encoded name does not pass as one that may be
    logged.
    """
    if query:
        pairs = (pair.partition("=") for pair in query.decode("latin-1").split("&"))
        shown_query = [f"{name}={value if name in TOLD else HIDDEN}" for name, _, value in pairs if name]
        path = f"{path}?{'&'.join(shown_query)}"
    return without_keys(path)[:LONGEST_PATH]
