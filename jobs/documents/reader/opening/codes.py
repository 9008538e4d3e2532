"""Reads barcodes, QR codes and other codes for machines in a picture."""

import base64
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import zxingcpp
from PIL import Image

Corner = tuple[float, float]

MAX_CODES = 100
"""The most codes of a page. Sheets of labels have fewer."""
MAX_BYTES = 8_000
"""The longest content of a code. A QR code has 7,089 digits at most."""
MAX_PIXELS = 9_000_000
"""The most pixels that are searched. A larger picture is scaled down, and its codes are still large enough."""

_SYMBOLOGIES = {
    "QRCode": "qr",
    "MicroQRCode": "micro_qr",
    "DataMatrix": "data_matrix",
    "Aztec": "aztec",
    "PDF417": "pdf417",
    "Code128": "code128",
    "Code39": "code39",
    "Code93": "code93",
    "EAN13": "ean13",
    "EAN8": "ean8",
    "UPCA": "upca",
    "UPCE": "upce",
    "ITF": "itf",
    "Codabar": "codabar",
}
"""The names of the formats that are read, by those of the library."""


@dataclass(frozen=True, slots=True)
class FoundCode:
    symbology: str
    text: str
    base64: str
    """The content if it is not text. `text` is empty then."""
    corners: tuple[Corner, ...]
    """The corners in pixels of the picture, clockwise from the top left of the code as it was made."""


def read_codes(picture: Image.Image) -> list[FoundCode]:
    """Return the codes of a picture, whichever way they lie."""
    gray = picture.convert("L")
    scale = min(1.0, math.sqrt(MAX_PIXELS / max(1, gray.width * gray.height)))
    if scale < 1.0:
        size = max(1, round(gray.width * scale)), max(1, round(gray.height * scale))
        gray = gray.resize(size, Image.Resampling.BOX)
    formats = zxingcpp.BarcodeFormats([getattr(zxingcpp.BarcodeFormat, name) for name in _SYMBOLOGIES])
    found = zxingcpp.read_barcodes(gray, formats=formats, text_mode=zxingcpp.TextMode.Plain)
    across, down = picture.width / gray.width, picture.height / gray.height
    return list(_checked(found, across, down))[:MAX_CODES]


def _checked(found: Sequence[zxingcpp.Barcode], across: float, down: float) -> Iterator[FoundCode]:
    for code in found:
        symbology = _SYMBOLOGIES.get(code.format.name)
        content = bytes(code.bytes)
        if symbology is None or not 0 < len(content) <= MAX_BYTES:
            continue
        text = "" if code.content_type == zxingcpp.ContentType.Binary else code.text
        if not _is_text(text):
            text = ""
        position = code.position
        points = (position.top_left, position.top_right, position.bottom_right, position.bottom_left)
        corners = tuple((point.x * across, point.y * down) for point in points)
        yield FoundCode(symbology, text, "" if text else base64.b64encode(content).decode(), corners)


def _is_text(text: str) -> bool:
    return bool(text) and not any(char == "\x00" or "\ud800" <= char <= "\udfff" for char in text)
