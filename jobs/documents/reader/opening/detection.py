"""Detects what a file is from its first bytes, never from its name."""

import re
from dataclasses import dataclass

from .limits import empty, unsupported
from .refused_types import AS_JPEG, refusal_by_start, refusal_of_markup

HEAD_BYTES = 4096
_PDF_HEADER_WITHIN = 1024
"""The first bytes in which the PDF header must be: readers accept other bytes before it, such as a mail header."""


@dataclass(frozen=True, slots=True)
class FileType:
    content_type: str
    kind: str
    """The kind of document: `pdf`, `image`, `text`, `docx`, `xlsx`, `pptx`, `html` or `eml`, or a container that may
    hold one.
    """
    codec: str = ""
    """The one image format that may open it."""


PDF = FileType("application/pdf", "pdf")
PNG = FileType("image/png", "image", "PNG")
JPEG = FileType("image/jpeg", "image", "JPEG")
TIFF = FileType("image/tiff", "image", "TIFF")
WEBP = FileType("image/webp", "image", "WEBP")
AVIF = FileType("image/avif", "image", "AVIF")
HEIC = FileType("image/heic", "image", "HEIC")
TEXT = FileType("text/plain", "text")
HTML = FileType("text/html", "html")
EML = FileType("message/rfc822", "eml")
ZIP = FileType("application/zip", "zip")
"""A ZIP file, which `containers` tells apart."""
OLE = FileType("application/x-ole-storage", "ole")
"""A container of old Office documents, and of new ones with a password."""

_OPEN_XML = "application/vnd.openxmlformats-officedocument"
_MAIN_TYPES = {
    f"{_OPEN_XML}.wordprocessingml.document": "docx",
    f"{_OPEN_XML}.wordprocessingml.template": "docx",
    "application/vnd.ms-word.document.macroEnabled": "docx",
    "application/vnd.ms-word.template.macroEnabledTemplate": "docx",
    f"{_OPEN_XML}.spreadsheetml.sheet": "xlsx",
    f"{_OPEN_XML}.spreadsheetml.template": "xlsx",
    "application/vnd.ms-excel.sheet.macroEnabled": "xlsx",
    "application/vnd.ms-excel.template.macroEnabled": "xlsx",
    f"{_OPEN_XML}.presentationml.presentation": "pptx",
    f"{_OPEN_XML}.presentationml.template": "pptx",
    f"{_OPEN_XML}.presentationml.slideshow": "pptx",
    "application/vnd.ms-powerpoint.presentation.macroEnabled": "pptx",
    "application/vnd.ms-powerpoint.template.macroEnabled": "pptx",
    "application/vnd.ms-powerpoint.slideshow.macroEnabled": "pptx",
}
OFFICE = tuple(FileType(content_type, kind) for content_type, kind in _MAIN_TYPES.items())
"""The types of Office documents. Macros are never run, so that documents with macros are read like others."""
FORMATS = frozenset({"docx", "xlsx", "pptx", "html", "eml"})
"""The kinds whose pages are made of items instead of pictures."""

_SIGNATURES: tuple[tuple[bytes, FileType], ...] = (
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"II*\x00", TIFF),
    (b"MM\x00*", TIFF),
    (b"II+\x00", TIFF),
    (b"MM\x00+", TIFF),
    (b"PK\x03\x04", ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
)

_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_HEIC_BRANDS = frozenset({b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1"})
_LONGEST_BRANDS = 256

_PDF_HEADER = re.compile(rb"(?:^|[^ -~])%PDF-\d")
"""The header of a PDF, which is not in the middle of a line of text."""
_MARKUP = re.compile(rb"<(\?xml|!|[a-z][a-z0-9:-]*[\s/>])", re.IGNORECASE)
_BEFORE_HTML = re.compile(rb"(?:<\?xml[^>]{0,200}\?>|<!--.{0,4000}?-->|\s)*", re.DOTALL)
_HTML = re.compile(
    rb"<(?:!doctype\s+html|(?:html|head|body|title|meta|link|style|script|base|h[1-6]|p|div|span|a|b|i|em|strong|ul|ol"
    rb"|dl|table|center|font|section|article|main|header|nav|form|img|br|hr|pre|label|input|button|select|fieldset|figure"
    rb"|aside|footer|blockquote|iframe|video|audio|picture|noscript|li|dt|dd|tr|td|th|thead|tbody|small)[\s/>])",
    re.IGNORECASE,
)
_HEADER_LINE = re.compile(rb"([A-Za-z][A-Za-z0-9-]{0,76})[ \t]{0,4}:")
_OF_EMAILS = frozenset(
    {b"received", b"return-path", b"message-id", b"mime-version", b"delivered-to", b"dkim-signature", b"arc-seal",
     b"arc-message-signature", b"authentication-results", b"x-mailer", b"x-received"}
)  # fmt: skip
"""The fields that a program writes at the head of an email. A person who writes a memo does not."""
_OF_MEMOS = frozenset({b"from", b"to", b"cc", b"subject", b"date", b"reply-to", b"sender", b"content-type"})
_OF_PEOPLE = frozenset({b"from", b"to", b"subject"})
_SENDER, _DATE = (
    re.compile(rb"^from:.*@", re.IGNORECASE | re.MULTILINE),
    re.compile(rb"^date:.*\d{1,2} [a-z]{3} \d{4} \d\d:\d\d", re.IGNORECASE | re.MULTILINE),
)
"""What emails of few fields have in the form that programs write it in."""
_OF_PARTS = re.compile(
    rb"^content-type:\s*multipart/(?:mixed|alternative|related|signed|report)\s*;", re.IGNORECASE | re.MULTILINE
)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def detect(head: bytes) -> FileType:
    """Return the type of a file that begins with `head`. Text is only a guess until it is decoded."""
    if not head:
        raise empty("The file is empty.")
    for signature, file_type in _SIGNATURES:
        if head.startswith(signature):
            return file_type
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return WEBP
    if (picture := _coded_picture(head)) is not None:
        return picture
    if _is_html(head):
        return HTML
    if refusal := refusal_by_start(head):
        raise refusal
    if _MARKUP.match(_letters(head)):
        raise refusal_of_markup(_letters(head))
    if _is_email(head):
        return EML
    return PDF if _PDF_HEADER.search(head[:_PDF_HEADER_WITHIN]) else TEXT


def _coded_picture(head: bytes) -> FileType | None:
    """Return the type of a picture in a file of the ISO base media format, by the brands that it names first."""
    if head[4:8] != b"ftyp":
        return None
    end = min(int.from_bytes(head[:4], "big"), _LONGEST_BRANDS)
    brands = {head[8:12], *(head[at : at + 4] for at in range(16, end - 3, 4))}
    if brands & _AVIF_BRANDS:
        return AVIF
    if brands & _HEIC_BRANDS:
        return HEIC
    raise unsupported("a video or an unknown kind of picture", AS_JPEG)


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


def _letters(head: bytes) -> bytes:
    """Return the markup at the head. In UTF-16, it shows as the same letters with a zero beside each."""
    return head.removeprefix(_BYTE_ORDER_MARK).replace(b"\x00", b"").lstrip(b"\xff\xfe \t\r\n\f")


def _is_html(head: bytes) -> bool:
    letters = _letters(head)
    before = _BEFORE_HTML.match(letters)
    return _HTML.match(letters, before.end() if before else 0) is not None


def _is_email(head: bytes) -> bool:
    """Return whether the head is nothing but header lines, up to an empty line, with fields that emails have."""
    head, is_cut = head.removeprefix(_BYTE_ORDER_MARK).lstrip(b"\r\n"), len(head) >= HEAD_BYTES
    lines = head.split(b"\n")
    names: set[bytes] = set()
    # The last line may be cut off.
    for line in lines[:-1] if is_cut else lines:
        if not line.strip():
            is_cut = False
            break
        if line[:1] in b" \t" and names:
            continue
        field = _HEADER_LINE.match(line)
        if field is None:
            return False
        names.add(field[1].lower())
    few = 1 if is_cut else 2
    is_written_by_program = bool(names & _OF_EMAILS) and len(names & (_OF_EMAILS | _OF_MEMOS)) >= few
    header = head[: _end_of_header(head)]
    if is_written_by_program or (_SENDER.search(header) and _DATE.search(header)):
        return True
    return bool(names & _OF_PEOPLE and _OF_PARTS.search(header))


def _end_of_header(head: bytes) -> int:
    end = re.search(rb"\r?\n\r?\n", head)
    return len(head) if end is None else end.start()
