"""The description of an exchange without its transport: requests, their outcomes, and the pauses between them."""

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
    query: Mapping[str, str | int] = field(default_factory=dict)
    json: object | None = None
    form: Mapping[str, str] = field(default_factory=dict)
    """The fields of a multipart form, which are sent with `file` or without one."""
    file: FilePart | None = None
    content: bytes | None = None
    """A raw body, which is neither JSON nor a file."""
    headers: Mapping[str, str] = field(default_factory=dict)
    held_s: float = 0.0
    """Seconds that the service was asked to hold the answer back."""
    save_to: Path | None = None
    """The path where a good answer's body is saved, instead of in memory."""

    def at_once(self) -> "Request":
        """Return the same request without a hold. After an outage, the missed answer must come first."""
        if "Prefer" not in self.headers:
            return self
        return replace(self, headers={**self.headers, "Prefer": "wait=0"}, held_s=0.0)


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    """The headers, with names in lower case."""
    body: bytes


@dataclass(frozen=True)
class Lost:
    """A request that got no answer."""

    why: str
    unsent: bool
    """The request certainly never arrived."""


@dataclass(frozen=True)
class Pause:
    seconds: float


Flow = Generator[Request | Pause, Reply | Lost | None, T]
"""A call as a generator: it yields requests and pauses, receives the outcome of each, and returns the answer.

The code that runs it owns the sockets and sleeps, so the same flow serves threads and coroutines.
"""
