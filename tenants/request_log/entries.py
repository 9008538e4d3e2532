"""One request as the journal tells of it: pure, and without anything that must stay secret."""

import json
import re
from typing import Any, NamedTuple, Self

LONGEST_PATH = 300
LONGEST_PROBLEM = 8_000
"""Bytes of a refusal's body; under `/v1` it says its sentence twice."""
LONGEST_MADE = 200
TOLD = frozenset(
    {"limit", "cursor", "include", "state", "model", "document", "before", "after", "order", "sort"}
)
"""Parameters whose values are told. What others hold may be a ticket, or words that somebody searched for."""
HIDDEN = "…"
_encode = json.JSONEncoder(check_circular=False).encode
_KEY = re.compile(r"maas_(live|test)_([0-9A-Za-z]{12})_[0-9A-Za-z]+")


class JournalEntry(NamedTuple):
    """A named tuple, since many are made in a moment and each is written as a list."""

    id: str
    at: float
    """Seconds since 1970, when the request came."""
    ms: float
    """From its coming to the last byte of its answer, waiting included; for a socket until it was opened or refused."""
    method: str
    path: str
    status: int
    request_id: str
    key_id: str
    """Empty for what a signed-in person did."""
    user_id: str
    client: str
    """What the caller says it is."""
    problem: str
    """The body of a refusal, as JSON; empty otherwise."""
    made: str = ""
    """Where the answer says that it put what it made; empty otherwise, and in what an older version wrote."""

    def to_text(self) -> str:
        return _encode(self)

    @classmethod
    def from_text(cls, text: str | bytes) -> Self | None:
        """None for what an older or newer version of this product has written."""
        try:
            return cls(*json.loads(text))
        except (ValueError, TypeError):
            return None

    @property
    def problem_words(self) -> tuple[str, str]:
        """Code and sentence of a refusal, whichever protocol worded it; empty where there are none."""
        match self.problem_fields:
            case {"error": {"code": code, "message": str(detail)}} | {"code": code, "error": str(detail)}:
                return str(code), detail
            case {"code": code, **rest}:
                return str(code), str(rest.get("detail", ""))
        return "", ""

    @property
    def problem_fields(self) -> dict[str, Any]:
        """The refusal's own words; empty when there are none, or none that can be read."""
        try:
            fields = json.loads(self.problem or "{}")
        except ValueError:
            return {}
        return fields if isinstance(fields, dict) else {}


def without_keys(text: str) -> str:
    """Whole keys become their prefix."""
    return _KEY.sub(rf"maas_\1_\2_{HIDDEN}", text) if "maas_" in text else text


def told_path(path: str, query: bytes) -> str:
    """The query stays as it was written: a name in disguise is none of those that are told."""
    if query:
        pairs = (pair.partition("=") for pair in query.decode("latin-1").split("&"))
        told = [f"{name}={value if name in TOLD else HIDDEN}" for name, _, value in pairs if name]
        path = f"{path}?{'&'.join(told)}"
    return without_keys(path)[:LONGEST_PATH]
