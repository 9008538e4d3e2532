"""Reads barcodes, QR codes and other codes for machines in a picture."""

import base64
import math
from collections.abc import Iterable, Iterator, Sequence

import zxingcpp
from PIL import Image, ImageChops, ImageFilter, ImageStat

from .cells import Part, area
from .code_parts import code_parts
from .found_codes import FoundCode, is_in, is_same, is_thin, moved, over_bars, without_partial_readings, without_pieces
from .ink_parts import ink_parts

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
_SQUARES = ("QRCode", "MicroQRCode", "DataMatrix", "Aztec", "PDF417")
_SURE = frozenset(_SYMBOLOGIES.values()) - {"ean13", "ean8", "upca", "upce", "itf", "codabar", "code39"}
"""The symbologies whose check sums leave no doubt. The others are looked at again: blurred bars may be read wrong."""
_MAX_SECOND_LOOKS = 6
"""The most codes of a picture that are looked at again because they could not be read."""
_STEP = 2
_STEPS = (_STEP, 0), (0, _STEP)
_EDGES = 50
"""How much the pixels of a code differ from those two to the right and two below, in sum. Text has half of it."""
_SHORTEST_UNREAD, _LONGEST_UNREAD = 24, 900
"""The sides in pixels of what may be a code. Smaller places are noise, and larger ones are lines of text."""
_MARGIN = 0.25
_ENLARGED = 2
_WAYS = (
    (4, 200, zxingcpp.Binarizer.LocalAverage),
    (2, 100, zxingcpp.Binarizer.LocalAverage),
    (0, 0, zxingcpp.Binarizer.LocalAverage),
    (4, 200, zxingcpp.Binarizer.GlobalHistogram),
)
"""How an enlarged part is read until there are codes: the radius and percentage of its sharpening, and how it is made
black and white. Sharpening makes blurred bars stand apart again, and noise too, so there is no best way."""
_MAX_ENLARGED_PIXELS = 12_000_000
"""The most pixels of all enlarged parts together."""


def read_codes(picture: Image.Image) -> list[FoundCode]:
    """Return the codes of a picture, whichever way they lie."""
    gray = picture.convert("L")
    scale = min(1.0, math.sqrt(MAX_PIXELS / max(1, gray.width * gray.height)))
    if scale < 1.0:
        gray = _resized(gray, scale)
    found: list[FoundCode] = []
    pixels_left = _MAX_ENLARGED_PIXELS
    for part in ink_parts(gray):
        codes, pixels_left = _codes_in(gray.crop(part), pixels_left)
        found += [moved(code, 1.0, 1.0, part[:2]) for code in codes]
    across, down = picture.width / gray.width, picture.height / gray.height
    return [moved(code, across, down) for code in without_partial_readings(found)[:MAX_CODES]]


def _codes_in(gray: Image.Image, pixels_left: int) -> tuple[list[FoundCode], int]:
    """Return the codes of a part of a picture, and how many pixels may be enlarged in other parts."""
    seen = _read(gray, _SYMBOLOGIES)
    found = [code for each in seen if each.valid and (code := _code_of(each, 1.0, (0, 0)))]
    for part, names in _second_looks(gray, seen):
        if any(code.symbology in _SURE and is_in(code, part) for code in found):
            continue
        pixels_left -= _ENLARGED**2 * area(part)
        if pixels_left < 0:
            break
        sharp = _look_closer(gray, part, names)
        if names is _BARS and len(sharp) == 1 and is_thin(sharp[0]):
            sharp = [over_bars(sharp[0], part)]
        found = [*(code for code in found if not any(is_same(code, other) for other in sharp)), *sharp]
    return found, pixels_left


def _read(
    gray: Image.Image, names: Iterable[str], binarizer: zxingcpp.Binarizer = zxingcpp.Binarizer.LocalAverage
) -> list[zxingcpp.Barcode]:
    formats = zxingcpp.BarcodeFormats([getattr(zxingcpp.BarcodeFormat, name) for name in names])
    return list(
        zxingcpp.read_barcodes(
            gray, formats=formats, text_mode=zxingcpp.TextMode.Plain, binarizer=binarizer, return_errors=True
        )
    )


def _resized(gray: Image.Image, scale: float) -> Image.Image:
    size = max(1, round(gray.width * scale)), max(1, round(gray.height * scale))
    return gray.resize(size, Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC)


def _look_closer(gray: Image.Image, part: Part, names: Iterable[str]) -> list[FoundCode]:
    """Return the codes of an enlarged part. Another way is only tried where there are none."""
    cut = gray.crop(part)
    large = cut.resize((_ENLARGED * cut.width, _ENLARGED * cut.height), Image.Resampling.BICUBIC)
    for radius, percentage, binarizer in _WAYS:
        picture = large.filter(ImageFilter.UnsharpMask(radius, percentage, 0)) if percentage else large
        read = [each for each in _read(picture, names, binarizer) if each.valid]
        codes = without_pieces([code for each in read if (code := _code_of(each, _ENLARGED, part[:2]))])
        if codes:
            return codes
    return []


def _second_looks(gray: Image.Image, seen: Sequence[zxingcpp.Barcode]) -> Iterator[tuple[Part, Iterable[str]]]:
    """Yield parts to look at again: where a code is but could not be read, and what looks like one."""
    unread = (_around(each) for each in seen if not each.valid)
    likely = sorted((part for part in unread if _has_modules(gray, part)), key=area, reverse=True)
    for left, top, right, bottom in likely[:_MAX_SECOND_LOOKS]:
        margin = round(_MARGIN * max(right - left, bottom - top))
        part = max(0, left - margin), max(0, top - margin), right + margin, bottom + margin
        yield (*part[:2], min(part[2], gray.width), min(part[3], gray.height)), _SYMBOLOGIES
    parts = code_parts(gray)
    yield from ((part, _BARS) for part in parts.bars)
    yield from ((part, _SQUARES) for part in parts.squares)


def _has_modules(gray: Image.Image, part: Part) -> bool:
    """Return whether a part that could not be read is full of edges. Any text may be taken for an unreadable code."""
    width, height = part[2] - part[0], part[3] - part[1]
    if min(width, height) <= _STEP or not _SHORTEST_UNREAD <= max(width, height) <= _LONGEST_UNREAD:
        return False
    inner = gray.crop((part[0], part[1], part[2] - _STEP, part[3] - _STEP))
    others = (gray.crop((part[0] + x, part[1] + y, part[2] - _STEP + x, part[3] - _STEP + y)) for x, y in _STEPS)
    return sum(ImageStat.Stat(ImageChops.difference(inner, other)).mean[0] for other in others) >= _EDGES


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


def _is_text(text: str) -> bool:
    return bool(text) and not any(char == "\x00" or "\ud800" <= char <= "\udfff" for char in text)
