"""Reads barcodes, QR codes and other codes for machines in a picture."""

import base64
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

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
_BARS = ("Code128", "Code39", "Code93", "EAN13", "EAN8", "UPCA", "UPCE", "ITF", "Codabar")
_MAX_SECOND_LOOKS = 6
"""The most codes of a picture that are looked at again because they could not be read."""
_SHORTEST_UNREAD, _LONGEST_UNREAD = 24, 900
"""The sides in pixels of what may be a code. Smaller places are noise, and larger ones are lines of text."""
_MARGIN = 0.25
_ENLARGED, _ENLARGED_BARS = 2.0, 1.5
_COARSE_PIXELS = 4_200_000
"""The pixels of a picture in which bars may be two pixels wide: a page at 200 dpi."""


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
        gray = _resized(gray, scale)
    seen = _read(gray, _SYMBOLOGIES)
    found = [code for each in seen if each.valid and (code := _code_of(each, 1.0, (0, 0)))]
    for part, factor, names in _second_looks(gray, [each for each in seen if not each.valid]):
        again = _read(_resized(gray.crop(part), factor), names)
        for each in again:
            code = _code_of(each, factor, part[:2]) if each.valid else None
            if code is not None and not any(_is_same(code, other) for other in found):
                found.append(code)
    across, down = picture.width / gray.width, picture.height / gray.height
    return [_moved(code, across, down) for code in found[:MAX_CODES]]


def _read(gray: Image.Image, names: Iterable[str]) -> list[zxingcpp.Barcode]:
    formats = zxingcpp.BarcodeFormats([getattr(zxingcpp.BarcodeFormat, name) for name in names])
    return list(zxingcpp.read_barcodes(gray, formats=formats, text_mode=zxingcpp.TextMode.Plain, return_errors=True))


def _resized(gray: Image.Image, scale: float) -> Image.Image:
    size = max(1, round(gray.width * scale)), max(1, round(gray.height * scale))
    return gray.resize(size, Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC)


def _second_looks(
    gray: Image.Image, unread: Sequence[zxingcpp.Barcode]
) -> Iterator[tuple[tuple[int, int, int, int], float, Iterable[str]]]:
    """Yield parts to look at again enlarged: where a code is but could not be read, and all of a coarse picture for
    bars.
    """
    boxes = sorted((_around(each) for each in unread), key=lambda box: (box[2] - box[0]) * (box[3] - box[1]))
    for left, top, right, bottom in boxes[: -_MAX_SECOND_LOOKS - 1 : -1]:
        long = max(right - left, bottom - top)
        if _SHORTEST_UNREAD <= long <= _LONGEST_UNREAD:
            margin = round(_MARGIN * long)
            part = max(0, left - margin), max(0, top - margin), right + margin, bottom + margin
            yield (*part[:2], min(part[2], gray.width), min(part[3], gray.height)), _ENLARGED, _SYMBOLOGIES
    if gray.width * gray.height <= _COARSE_PIXELS:
        yield (0, 0, *gray.size), _ENLARGED_BARS, _BARS


def _around(code: zxingcpp.Barcode) -> tuple[int, int, int, int]:
    points = _points(code)
    across, down = [point.x for point in points], [point.y for point in points]
    return min(across), min(down), max(across), max(down)


def _points(code: zxingcpp.Barcode) -> tuple[zxingcpp.Point, ...]:
    position = code.position
    return position.top_left, position.top_right, position.bottom_right, position.bottom_left


def _code_of(code: zxingcpp.Barcode, scale: float, offset: tuple[int, int]) -> FoundCode | None:
    symbology = _SYMBOLOGIES.get(code.format.name)
    content = bytes(code.bytes)
    if symbology is None or not 0 < len(content) <= MAX_BYTES:
        return None
    text = "" if code.content_type == zxingcpp.ContentType.Binary else code.text
    if not _is_text(text):
        text = ""
    corners = tuple((point.x / scale + offset[0], point.y / scale + offset[1]) for point in _points(code))
    return FoundCode(symbology, text, "" if text else base64.b64encode(content).decode(), corners)


def _is_same(one: FoundCode, other: FoundCode) -> bool:
    """Return whether two codes are at the same place."""
    x, y = (sum(corner[axis] for corner in one.corners) / 4 for axis in (0, 1))
    across, down = ([corner[axis] for corner in other.corners] for axis in (0, 1))
    return min(across) <= x <= max(across) and min(down) <= y <= max(down)


def _moved(code: FoundCode, across: float, down: float) -> FoundCode:
    return replace(code, corners=tuple((x * across, y * down) for x, y in code.corners))


def _is_text(text: str) -> bool:
    return bool(text) and not any(char == "\x00" or "\ud800" <= char <= "\udfff" for char in text)
