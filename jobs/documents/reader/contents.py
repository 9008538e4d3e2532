"""What a reader learns of a document and of one of its pages."""

from dataclasses import dataclass
from typing import Literal

from inference.core.contracts import Pixels, TextLine

Kind = Literal["pdf", "image", "text"]


@dataclass(frozen=True, slots=True)
class PageSize:
    """In points for a PDF, pixels for an image; zeros for text and for a page that cannot be read."""

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Inspection:
    content_type: str
    kind: Kind
    page_sizes: tuple[PageSize, ...]

    @property
    def pages_total(self) -> int:
        return len(self.page_sizes)


@dataclass(frozen=True, slots=True)
class PageContent:
    width_px: int
    """0 for plain text, which has no picture."""
    height_px: int
    text_lines: tuple[TextLine, ...] | None
    """The document's own text; None when it must be recognised from the picture."""
    picture: bytes | None
    """An encoded file to store and to show."""
    picture_content_type: str | None
    pixels: Pixels | None
    """The same picture decoded, to recognise text in without another decoding."""
