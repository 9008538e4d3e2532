"""Pictures: pages drawn with text, and files whose headers promise more than they hold."""

import io
import struct
import zlib
from collections.abc import Sequence
from typing import Any

from PIL import Image, ImageChops, ImageDraw, ImageFont

A4_AT_200_DPI = (1654, 2339)
_ORIENTATION = 0x0112


def drawn_page(text: str, size: tuple[int, int] = A4_AT_200_DPI, noise: float = 0) -> Image.Image:
    """A white page with `text` in black, grainy like a scan when `noise` is given."""
    image = Image.new("RGB", size, "white")
    font = ImageFont.load_default(size=max(12, size[0] // 36))
    ImageDraw.Draw(image).multiline_text((size[0] // 12, size[1] // 16), text, fill="black", font=font)
    if not noise:
        return image
    grain = Image.effect_noise(size, noise).convert("RGB")
    return ImageChops.add(image, grain, scale=1.0, offset=-140)


def encoded(image: Image.Image, codec: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, codec, **options)
    return out.getvalue()


def tiff_pages(images: Sequence[Image.Image]) -> bytes:
    return encoded(images[0], "TIFF", save_all=True, append_images=list(images[1:]))


def turned(orientation: int) -> Image.Exif:
    """What a camera writes that was not held upright."""
    exif = Image.Exif()
    exif[_ORIENTATION] = orientation
    return exif


def png_header_only(width: int, height: int) -> bytes:
    """A header and an end: 57 bytes that promise any size."""
    return _PNG + _chunk(b"IHDR", struct.pack("!IIBBBBB", width, height, 8, 2, 0, 0, 0)) + _chunk(b"IEND", b"")


def png_blank(width: int, height: int, bits: int = 1) -> bytes:
    """A whole and valid gray picture of nothing, which packs into very few bytes."""
    row = bytes(1 + (width * bits + 7) // 8)
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack("!IIBBBBB", width, height, bits, 0, 0, 0, 0)
    return _PNG + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def webp_header_only(width: int, height: int) -> bytes:
    """A canvas of any size around a picture of one pixel."""
    inner = encoded(Image.new("RGB", (1, 1)), "WEBP", lossless=True)[12:]
    canvas = struct.pack("<I", 0) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBP" + b"VP8X" + struct.pack("<I", 10) + canvas + inner
    return b"RIFF" + struct.pack("<I", len(body)) + body


def tiff_looping() -> bytes:
    """A TIFF file whose page list leads back to its own start."""
    data = bytearray(encoded(Image.new("L", (8, 8)), "TIFF"))
    (first,) = struct.unpack_from("<I", data, 4)
    (entries,) = struct.unpack_from("<H", data, first)
    struct.pack_into("<I", data, first + 2 + 12 * entries, first)
    return bytes(data)


_PNG = b"\x89PNG\r\n\x1a\n"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))
