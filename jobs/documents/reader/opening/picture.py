"""Chooses how a page's picture is stored, so that it is small and legible."""

import io
import math
from dataclasses import dataclass

from PIL import Image

_MAX_PALETTE_COLOURS = 256
_JPEG_QUALITY = 85
_MIN_BACKGROUND = 0.6
"""The share of one color that distinguishes a clean page from a gray scan, which has few colors as well."""
_LARGEST_PNG_BYTES = 2 << 20
_PNG_COMPRESSION = 3
_LONGEST_JPEG_SIDE = 65_500


@dataclass(frozen=True, slots=True)
class EncodedPicture:
    data: bytes
    content_type: str

    def decoded(self, original: Image.Image) -> Image.Image:
        """Return the original as it looks once it has been stored."""
        if self.content_type == "image/png":
            return original
        return Image.open(io.BytesIO(self.data), formats=("JPEG",)).convert("RGB")


def encode(image: Image.Image) -> EncodedPicture:
    """Encode a page of few colors as PNG, which is lossless and small for it, and scans and photographs as JPEG."""
    colours = image.getcolors(_MAX_PALETTE_COLOURS)
    if colours is not None and max(colours)[0] >= _MIN_BACKGROUND * math.prod(image.size):
        data = _png(_reduced(image, [colour for _, colour in colours]))
        if len(data) <= _LARGEST_PNG_BYTES:
            return EncodedPicture(data, "image/png")
    if max(image.size) > _LONGEST_JPEG_SIDE:
        return EncodedPicture(_png(image), "image/png")
    return EncodedPicture(_jpeg(image), "image/jpeg")


def _reduced(image: Image.Image, colours: list[object]) -> Image.Image:
    is_grey = all(isinstance(colour, tuple) and len(set(colour)) == 1 for colour in colours)
    return image.convert("L") if is_grey else image


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=_PNG_COMPRESSION)
    return buffer.getvalue()


def _jpeg(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=_JPEG_QUALITY)
    return buffer.getvalue()
