"""The results of reading a document and its pages, and the errors if that is not possible."""

from dataclasses import dataclass
from typing import Literal

from inference.core.contracts import NO_FINDINGS, Box, Findings, PageItem, Pixels, TextLine

Kind = Literal["pdf", "image", "text", "docx", "xlsx", "pptx", "html", "eml"]


@dataclass(frozen=True, slots=True)
class PageSize:
    """The size in points for a PDF and in pixels for an image. It is zero for a page that is unreadable, and for the
    kinds of document whose pages have no pictures.
    """

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Inspection:
    content_type: str
    kind: Kind
    page_sizes: tuple[PageSize, ...]
    attachments_total: int | None = None
    """The number of attachments of an email that can become documents."""

    @property
    def pages_total(self) -> int:
        return len(self.page_sizes)


@dataclass(frozen=True, slots=True)
class PageContent:
    width_px: int
    """The picture's width. It is 0 for a page of a format that has no pictures, such as plain text."""
    height_px: int
    text_lines: tuple[TextLine, ...] | None
    """The document's own text. It is None if the text must be recognized from the picture."""
    picture: bytes | None
    """An encoded picture file to store and to show. It is None for a page that was not drawn, or has no picture."""
    picture_content_type: str | None
    pixels: Pixels | None
    """The same picture decoded, so that text can be recognized in it without another decoding."""
    scans: tuple[Box, ...] = ()
    """The parts of the picture that show more than the document's own text."""
    rules: tuple[Box, ...] = ()
    """The level and upright lines that a page with text of its own draws."""
    items: tuple[PageItem, ...] | None = None
    """The parts of the page as the document itself names them, in formats that say it."""
    findings: Findings = NO_FINDINGS
    """The things on the page beside its text. A page that was to be drawn has none: it was read before."""
    unread_pictures: int = 0
    """The number of pictures beside the items that are large enough to say something, and were not read."""


class DocumentRejected(Exception):
    """The error for a document, or one page of it, that cannot be used. Only the sender can correct it, so it is not
    tried again.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Attachment:
    """A part of an email beside its text. Its name and the errors are as the child says."""

    name: str
    size_bytes: int
    offset: int
    """The position of its bytes in the arena."""
    skipped: str
    """The reason why nobody reads it, `signature` or `inline_picture`, or nothing."""
    rejected: DocumentRejected | None


SKIPPED_PARTS = frozenset({"", "signature", "inline_picture"})
REJECTION_CODES = frozenset(
    {
        "unsupported_type",
        "document_empty",
        "document_corrupt",
        "document_encrypted",
        "wrong_password",
        "document_too_large",
        "too_many_pages",
        "image_too_large",
        "page_too_large",
        "document_too_complex",
    }
)


class ReaderUnavailable(Exception):
    """No child process was free to open the document. Trying again later may work."""

    code = "reader_unavailable"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail
