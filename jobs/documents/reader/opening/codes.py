"""Reads barcodes, QR codes and other codes for machines in a picture."""

import base64
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import zxingcpp
from PIL import Image, ImageFilter

from .code_parts import Part, code_parts

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
_BARS = ("Code128", "Code39", "Code93", "EAN13", "EAN8", "UPCA", "UPCE", "ITF", "Codabar", "PDF417")
_SQUARES = ("QRCode", "MicroQRCode", "DataMatrix", "Aztec")
_SURE = frozenset(_SYMBOLOGIES.values()) - {"ean13", "ean8", "upca", "upce", "itf", "codabar", "code39"}
"""The symbologies whose check sums leave no doubt. The others are looked at again: blurred bars may be read wrong."""
_MAX_SECOND_LOOKS = 6
"""The most codes of a picture that are looked at again because they could not be read."""
_MAX_UNSURE_LOOKS = 2
_SHORTEST_UNREAD, _LONGEST_UNREAD = 24, 900
"""The sides in pixels of what may be a code. Smaller places are noise, and larger ones are lines of text."""
_THIN = 0.2
"""The shorter side of a code, as a share of the longer, below which it is one piece of the bars."""
_MARGIN = 0.25
_ENLARGED = 2
_SHARPNESS = 200
"""The percentage of the difference from the blurred picture that is added. Blurred bars stand apart again."""
_MAX_ENLARGED_PIXELS = 12_000_000
"""The most pixels of all enlarged parts together."""


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
    pixels_left = _MAX_ENLARGED_PIXELS
    for part, names in _second_looks(gray, seen):
        pixels_left -= _ENLARGED**2 * (part[2] - part[0]) * (part[3] - part[1])
        if pixels_left < 0:
            break
        if any(code.symbology in _SURE and _is_in(code, part) for code in found):
            continue
        again = [each for each in _read(_sharpened(gray.crop(part)), names) if each.valid]
        sharp = _whole([code for each in again if (code := _code_of(each, _ENLARGED, part[:2]))])
        found = [*(code for code in found if not any(_is_same(code, other) for other in sharp)), *sharp]
    across, down = picture.width / gray.width, picture.height / gray.height
    return [_moved(code, across, down) for code in found[:MAX_CODES]]


def _read(gray: Image.Image, names: Iterable[str]) -> list[zxingcpp.Barcode]:
    formats = zxingcpp.BarcodeFormats([getattr(zxingcpp.BarcodeFormat, name) for name in names])
    return list(zxingcpp.read_barcodes(gray, formats=formats, text_mode=zxingcpp.TextMode.Plain, return_errors=True))


def _resized(gray: Image.Image, scale: float) -> Image.Image:
    size = max(1, round(gray.width * scale)), max(1, round(gray.height * scale))
    return gray.resize(size, Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC)


def _sharpened(gray: Image.Image) -> Image.Image:
    size = _ENLARGED * gray.width, _ENLARGED * gray.height
    large = gray.resize(size, Image.Resampling.BICUBIC)
    return large.filter(ImageFilter.UnsharpMask(2 * _ENLARGED, _SHARPNESS, 0))


def _second_looks(gray: Image.Image, seen: Sequence[zxingcpp.Barcode]) -> Iterator[tuple[Part, Iterable[str]]]:
    """Yield parts to look at again: where a code is but could not be read, and what looks like one.

    Any letters may be taken for a Data Matrix that cannot be read.
    """
    unread = [each for each in seen if not each.valid]
    boxes = sorted((_around(each) for each in unread if each.format.name != "DataMatrix"), key=_area, reverse=True)
    others = sorted((_around(each) for each in unread if each.format.name == "DataMatrix"), key=_area, reverse=True)
    for left, top, right, bottom in (*boxes[:_MAX_SECOND_LOOKS], *others[:_MAX_UNSURE_LOOKS]):
        long = max(right - left, bottom - top)
        if _SHORTEST_UNREAD <= long <= _LONGEST_UNREAD:
            margin = round(_MARGIN * long)
            part = max(0, left - margin), max(0, top - margin), right + margin, bottom + margin
            yield (*part[:2], min(part[2], gray.width), min(part[3], gray.height)), _SYMBOLOGIES
    parts = code_parts(gray)
    yield from ((part, _BARS) for part in parts.bars)
    yield from ((part, _SQUARES) for part in parts.squares)


def _area(part: Part) -> int:
    return (part[2] - part[0]) * (part[3] - part[1])


def _around(code: zxingcpp.Barcode) -> Part:
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


def _whole(codes: Sequence[FoundCode]) -> list[FoundCode]:
    """Return the codes of a part, those that were read in several pieces as one."""
    pieces: dict[tuple[str, str, str], list[FoundCode]] = {}
    for code in codes:
        pieces.setdefault((code.symbology, code.text, code.base64), []).append(code)
    return [
        code
        for found in pieces.values()
        for code in ([_around_all(found)] if len(found) > 1 and all(map(_is_thin, found)) else found)
    ]


def _is_thin(code: FoundCode) -> bool:
    left, top, right, bottom = _sides(code)
    return min(right - left, bottom - top) < _THIN * max(right - left, bottom - top)


def _around_all(codes: Sequence[FoundCode]) -> FoundCode:
    lefts, tops, rights, bottoms = zip(*map(_sides, codes), strict=True)
    left, top, right, bottom = min(lefts), min(tops), max(rights), max(bottoms)
    return replace(codes[0], corners=((left, top), (right, top), (right, bottom), (left, bottom)))


def _is_same(one: FoundCode, other: FoundCode) -> bool:
    """Return whether two codes are at the same place. Of bars, a few rows of pixels may have been read."""
    left, top, right, bottom = _sides(one)
    other_left, other_top, other_right, other_bottom = _sides(other)
    across = min(right, other_right) - max(left, other_left)
    down = min(bottom, other_bottom) - max(top, other_top)
    return across >= 0.5 * min(right - left, other_right - other_left) and down >= 0.5 * min(
        bottom - top, other_bottom - other_top
    )


def _is_in(code: FoundCode, part: Part) -> bool:
    left, top, right, bottom = _sides(code)
    return part[0] <= (left + right) / 2 <= part[2] and part[1] <= (top + bottom) / 2 <= part[3]


def _sides(code: FoundCode) -> tuple[float, float, float, float]:
    across, down = zip(*code.corners, strict=True)
    return min(across), min(down), max(across), max(down)


def _moved(code: FoundCode, across: float, down: float) -> FoundCode:
    return replace(code, corners=tuple((x * across, y * down) for x, y in code.corners))


def _is_text(text: str) -> bool:
    return bool(text) and not any(char == "\x00" or "\ud800" <= char <= "\udfff" for char in text)
