"""A file that has arrived whole, on local disk, and what was found in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

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
    """None when its tenant had these very bytes already, so that nothing had to be found out."""
