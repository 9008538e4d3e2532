"""What goes over the wire, said without saying how: requests, their outcomes, and the pauses between them."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from maas_client.uploads import FilePart

T = TypeVar("T")
JSON, BYTES = "application/json", "application/octet-stream"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    """Of the service; or, `elsewhere`, the whole address."""
    query: Mapping[str, str | int] = field(default_factory=dict)
    json: object | None = None
    form: Mapping[str, str] = field(default_factory=dict)
    """Sent beside `file`."""
    file: FilePart | None = None
    content: bytes | None = None
    """A body that is neither."""
    headers: Mapping[str, str] = field(default_factory=dict)
    held_s: float = 0.0
    """For how long the service was asked to hold the answer back."""
    save_to: Path | None = None
    """Where a good answer's body goes, instead of into memory."""
    elsewhere: bool = False
    """To another server, which gets neither key nor cookie."""

    def at_once(self) -> "Request":
        """The same, not to be held back: after an outage, what was missed comes first."""
        if "Prefer" not in self.headers:
            return self
        return replace(self, headers={**self.headers, "Prefer": "wait=0"}, held_s=0.0)


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


@dataclass(frozen=True)
class Lost:
    """No answer came."""

    why: str
    unsent: bool
    """The request surely never arrived."""


@dataclass(frozen=True)
class Pause:
    seconds: float


Flow = Generator[Request | Pause, Reply | Lost | None, T]
"""A call as a conversation: it gives requests and pauses, is given what became of each, and returns the answer.

Whoever plays it owns sockets and sleep, so that the same flow serves threads and coroutines.
"""
