"""Page pictures in the form for a PDF: the bytes of the JPEG or PNG file as they are, without decoding them."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf

_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_COLOURS = {0: 1, 2: 3, 3: 1}
"""The kinds of PNG that a PDF takes as they are, and their channels: gray, RGB, palette."""
_PALETTE = 3
_SPACES = {1: Name.DeviceGray, 3: Name.DeviceRGB, 4: Name.DeviceCMYK}
_START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class UnknownPicture(ValueError):
    """The picture is not of a kind that this product stores."""


@dataclass(frozen=True)
class _Frame:
    width: int
    height: int
    channels: int


def embedded_picture(pdf: Pdf, data: bytes) -> pikepdf.Stream:
    if data.startswith(b"\xff\xd8"):
        return _jpeg(pdf, data)
    if data.startswith(_PNG_SIGNATURE):
        return _png(pdf, data)
    raise UnknownPicture(f"a picture begins with {data[:8]!r}")


def _jpeg(pdf: Pdf, data: bytes) -> pikepdf.Stream:
    frame = _jpeg_frame(data)
    picture = _image(pdf, frame, 8, _SPACES[frame.channels])
    picture.write(data, filter=Name.DCTDecode)
    return picture


def _jpeg_frame(data: bytes) -> _Frame:
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4])
        if marker in _START_OF_FRAME:
            height, width, channels = struct.unpack(">HHB", data[at + 5 : at + 10])
            return _Frame(width, height, channels)
        at += 2 + length
    raise UnknownPicture("a JPEG file without a frame")


def _png(pdf: Pdf, data: bytes) -> pikepdf.Stream:
    """Return a PNG file as a picture. A PDF unpacks rows of pixels as a PNG packs them, so its chunks are copied."""
    chunks = list(_chunks(data))
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if colour not in _PNG_COLOURS or interlaced:
        raise UnknownPicture(f"a PNG file of colour type {colour}, interlaced: {interlaced}")
    frame = _Frame(width, height, _PNG_COLOURS[colour])
    space: pikepdf.Object = _SPACES[frame.channels]
    if colour == _PALETTE:
        palette = next(body for kind, body in chunks if kind == b"PLTE")
        space = Array([Name.Indexed, Name.DeviceRGB, len(palette) // 3 - 1, pikepdf.String(palette)])
    picture = _image(pdf, frame, depth, space)
    rows = Dictionary(Predictor=15, Colors=frame.channels, BitsPerComponent=depth, Columns=width)
    packed = b"".join(body for kind, body in chunks if kind == b"IDAT")
    picture.write(packed, filter=Name.FlateDecode, decode_parms=rows)
    return picture


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_PNG_SIGNATURE)
    while at + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, data[at + 8 : at + 8 + length]
        at += 12 + length


def _image(pdf: Pdf, frame: _Frame, depth: int, space: pikepdf.Object) -> pikepdf.Stream:
    picture = pdf.make_stream(b"")
    picture.Type, picture.Subtype = Name.XObject, Name.Image
    picture.Width, picture.Height = frame.width, frame.height
    picture.ColorSpace, picture.BitsPerComponent = space, depth
    return picture
