"""A complete file that has arrived on local disk, and what was found in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from jobs.documents.reader import DocumentRejected, Inspection


@dataclass(frozen=True)
class Upload:
    """An uploaded file, made while its bytes stream in. Its maker removes `path` when the request ends."""

    path: Path
    sha256: str
    size_bytes: int
    filename: str
    content_type: str
    """The type as the client named it. It is never trusted."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """The other fields of the form."""
    inspection: Inspection | DocumentRejected | None = None
    """The result of the inspection. None if these bytes were known; a short text is always inspected."""
    fetched: bool = False
    """The file was fetched from a URL that the request named. The request itself is JSON."""
    hold_id: UUID | None = None
    """The id of the hold on the request's idempotency key, under which the file was fetched."""
    counted: bool = False
    """The bytes count already as an unfinished upload, whose end releases those that the document takes."""

    mail_id: UUID | None = None
    """The id of the email that the file is attached to, if the email brought it."""

    @property
    def more_bytes(self) -> int:
        return 0 if self.counted else self.size_bytes


class UploadWithdrawn(Exception):
    """The document is not wanted any more, or another request creates it."""


FORM = "maas.form"
"""The name of the fields in the scope, and so in the META, of a form without a file. Its body was read already."""
FETCH = "maas.fetch"
"""The name of the `Fetch` in the scope, and so in the META, of a request that may name a URL."""


@dataclass(frozen=True)
class Address:
    """The URL from which a document is to be fetched, and the document's name."""

    url: str = field(repr=False)
    """The URL. A signed one is a secret by itself, so it is never logged and never stored."""
    name: str
    """The name that the caller gave. It may be empty."""
    password: str = field(default="", repr=False)
    """The password that opens the document. It is used once, and neither logged nor stored."""


@dataclass
class Fetch:
    """A document to be fetched for a request. The view stores the URL here. After the document is fetched, the view is
    called again with the file.
    """

    wanted: Address | None = None
    hold_id: UUID | None = None
    """The id of the hold on the request's idempotency key, to be renewed and released."""
