"""The results of reading a document and one of its pages."""

from dataclasses import dataclass
from typing import Literal

from inference.core.contracts import Pixels, TextLine

Kind = Literal["pdf", "image", "text"]


@dataclass(frozen=True, slots=True)
class PageSize:
    """The size in points for a PDF, in pixels for an image, and zero for text or an unreadable page."""

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
    """The picture's width. It is 0 for plain text, which has no picture."""
    height_px: int
    text_lines: tuple[TextLine, ...] | None
    """The document's own text. It is None if the text must be recognized from the picture."""
    picture: bytes | None
    """An encoded picture file to store and to show."""
    picture_content_type: str | None
    pixels: Pixels | None
    """The same picture decoded, so that text can be recognized in it without another decoding."""
