"""A file that has arrived whole, on local disk, and what was found in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from jobs.documents.reader import DocumentRejected, Inspection


@dataclass(frozen=True)
class Upload:
    """Made while the bytes were streaming in; whoever made it removes `path` when the request ends."""

    path: Path
    sha256: str
    size_bytes: int
    filename: str
    content_type: str
    """As the client named it; never trusted."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """The other fields of the form."""
    inspection: Inspection | DocumentRejected | None = None
    """None when its tenant had these very bytes already, so that nothing had to be found out: but of a short text."""
    fetched: bool = False
    """From an address that the request named; the request itself is JSON."""
    hold_id: UUID | None = None
    """Of the request's key, under which it was fetched."""
    counted: bool = False
    """As an unfinished upload, whose end lets go of the bytes that its document takes."""

    @property
    def more_bytes(self) -> int:
        return 0 if self.counted else self.size_bytes


class UploadWithdrawn(Exception):
    """Nobody wants its document any more, or somebody else makes it."""


FETCH = "maas.fetch"
"""In the scope of a request that may name an address, and so beside its headers."""


@dataclass(frozen=True)
class Address:
    """Where a document is to be fetched from."""

    url: str = field(repr=False)
    """It may be a secret by itself, as one that a storage has signed: never logged, never stored."""
    name: str
    """Which the caller gave; may be empty."""


@dataclass
class Fetch:
    """A question to whoever answers the request: of an address it is told here, and asked again with the file."""

    wanted: Address | None = None
    hold_id: UUID | None = None
    """Of the request's key, where it has one: from now on it is held, and has to be renewed and let go."""
