"""Detects what a file is from its first bytes, never from its name."""

import re
from dataclasses import dataclass

from .limits import Rejected, empty, unsupported

HEAD_BYTES = 4096
_PDF_HEADER_WITHIN = 1024
"""The first bytes in which the PDF header must be: readers accept other bytes before it, such as a mail header."""


@dataclass(frozen=True, slots=True)
class FileType:
    content_type: str
    kind: str
    """The kind of document: `pdf`, `image` or `text`."""
    codec: str = ""
    """The one image format that may open it."""


PDF = FileType("application/pdf", "pdf")
PNG = FileType("image/png", "image", "PNG")
JPEG = FileType("image/jpeg", "image", "JPEG")
TIFF = FileType("image/tiff", "image", "TIFF")
WEBP = FileType("image/webp", "image", "WEBP")
TEXT = FileType("text/plain", "text")

_IMAGES: tuple[tuple[bytes, FileType], ...] = (
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"II*\x00", TIFF),
    (b"MM\x00*", TIFF),
    (b"II+\x00", TIFF),
    (b"MM\x00+", TIFF),
)

_REFUSED: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ\x00", "compressed with xz"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (b"{\\rtf", "an RTF document"),
    (b"%!", "PostScript"),
    (b"\xc5\xd0\xd3\xc6", "PostScript (EPS)"),
    (b"SIMPLE  =", "a FITS image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
)

_MARKUP = re.compile(rb"<(\?xml|!|[a-z][a-z0-9:-]*[\s/>])", re.IGNORECASE)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def detect(head: bytes) -> FileType:
    """Return the type of a file that begins with `head`. Text is only a guess until it is decoded."""
    if not head:
        raise empty("The file is empty.")
    for signature, file_type in _IMAGES:
        if head.startswith(signature):
            return file_type
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return WEBP
    if refusal := _refusal(head):
        raise refusal
    if b"%PDF-" in head[:_PDF_HEADER_WITHIN]:
        return PDF
    return TEXT


def webp_size(head: bytes) -> tuple[int, int] | None:
    """Return the width and height of a WebP file's canvas, before any decoder allocates memory for it."""
    chunk, body = head[12:16], head[20:30]
    if len(body) < 10:
        return None
    if chunk == b"VP8X":
        return 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")
    if chunk == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 ":
        return (
            int.from_bytes(body[6:8], "little") & 0x3FFF,
            int.from_bytes(body[8:10], "little") & 0x3FFF,
        )
    return None


def _refusal(head: bytes) -> Rejected | None:
    for signature, what in _REFUSED:
        if head.startswith(signature):
            return unsupported(what)
    # Markup in UTF-16 shows as the same letters with a zero beside each.
    letters = head.removeprefix(_BYTE_ORDER_MARK).replace(b"\x00", b"").lstrip(b"\xff\xfe \t\r\n\f")
    if _MARKUP.match(letters):
        return unsupported("markup (HTML, SVG or XML)")
    return None
