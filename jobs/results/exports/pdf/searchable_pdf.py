"""Writes a PDF with a job's page images and the recognized text as an invisible layer. It is built in parts on disk,
to limit the memory used.
"""

import shutil
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import pikepdf
from django.conf import settings
from pikepdf import Array, Dictionary, Name, Pdf

from inference.pictures.righting import Righting
from jobs.core.models import Document, DocumentPage
from jobs.documents.files import open_file
from jobs.documents.pages import with_picture
from jobs.documents.reader import DocumentRejected
from jobs.results.exports.job_export import ExportPage, JobExport
from jobs.results.exports.page_lines import Line
from jobs.results.exports.pdf.character_codes import CharacterCodes
from jobs.results.exports.pdf.invisible_font import invisible_font
from jobs.results.exports.pdf.text_drawing import FONT, REMARK_FONT, Sheet, invisible_lines, visible_remark
from jobs.results.pictures.shown_picture import righting_of
from jobs.results.pictures.turns import corners_of
from tenants.core.own_folder import own_folder

PART_BYTES = 16 << 20
A4_POINTS = (595.0, 842.0)
POINTS_PER_INCH = 72
LONGEST_SIDE_POINTS = 14_400
"""The longest side that PDF readers accept."""


def write_pdf(target: BinaryIO, export: JobExport) -> None:
    with TemporaryDirectory(dir=own_folder(), prefix="export-") as name:
        folder = Path(name)
        parts = [_saved(part, folder / f"{position}.pdf") for position, part in enumerate(_parts(export))]
        whole = folder / "whole.pdf"
        # The program qpdf joins the files, because pages that are copied in Python would all be held in memory.
        first, *others = map(str, parts)
        pikepdf.Job(["qpdf", first, "--pages", ".", *others, "--", "--object-streams=generate", str(whole)]).run()
        with whole.open("rb") as made:
            shutil.copyfileobj(made, target)


def _parts(export: JobExport) -> Iterator["_Part"]:
    part = _Part(export.title)
    for page in export.read():
        part.add(page, export.job.document)
        if part.bytes >= PART_BYTES:
            yield part
            part = _Part(export.title)
    if export.remark and not export.single:
        part.add_remark(export.remark, A4_POINTS)
    if part.pages:
        yield part


def _saved(part: "_Part", path: Path) -> Path:
    part.save(path)
    return path


class _Part:
    def __init__(self, title: str) -> None:
        self.bytes = self.pages = 0
        self._pdf = Pdf.new()
        self._pdf.docinfo[Name.Title] = title
        self._codes = CharacterCodes()
        self._fonts = self._pdf.make_indirect(Dictionary())
        helvetica = Dictionary(
            Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding
        )
        self._fonts[f"/{REMARK_FONT}"] = self._pdf.make_indirect(helvetica)

    def add(self, page: ExportPage, document: Document | None) -> None:
        if page.picture is None or document is None:
            self.add_remark(page.remark or "There is no picture of this page.", A4_POINTS)
            return
        sheet, size = sheet_of(page.picture)
        try:
            drawn = with_picture(document, page.picture)
        except DocumentRejected as error:
            self.add_remark(f"Page {page.number} cannot be drawn. {error.detail}", size)
            return
        with open_file(drawn.picture) as file:
            data = file.read()
        self.bytes += len(data)
        picture = embedded_picture(self._pdf, data)
        righting = righting_of(page.result, page.picture.width_px, page.picture.height_px)
        lines = _on_stored(page.lines, righting) if righting else page.lines
        image = f"q {size[0]:.4f} 0 0 {size[1]:.4f} 0 0 cm /P Do Q\n".encode("ascii")
        drawing = image + invisible_lines(lines, sheet, self._codes)
        self._add_page(size, drawing, picture, righting.rotation if righting else 0)

    def add_remark(self, remark: str, size: tuple[float, float]) -> None:
        self._add_page(size, visible_remark(remark, size[1]))

    def save(self, path: Path) -> None:
        """Finish and save the part. Nothing can be added afterwards."""
        self._fonts[f"/{FONT}"] = invisible_font(self._pdf, self._codes.characters)
        self._pdf.save(path)
        self._pdf.close()

    def _add_page(
        self, size: tuple[float, float], drawing: bytes, picture: pikepdf.Stream | None = None, rotation: int = 0
    ) -> None:
        self.pages += 1
        resources = Dictionary(Font=self._fonts)
        if picture is not None:
            resources.XObject = Dictionary(P=picture)
        page = Dictionary(
            Type=Name.Page,
            MediaBox=Array([0, 0, *(round(side, 4) for side in size)]),
            Resources=resources,
            Contents=self._pdf.make_stream(drawing),
        )
        if rotation:
            page.Rotate = rotation
        self._pdf.pages.append(pikepdf.Page(self._pdf.make_indirect(page)))


def _on_stored(lines: Sequence[Line], righting: Righting) -> list[Line]:
    """Return the lines where they are on the stored picture, with the angle that they have there."""
    boxes = [righting.on_stored(line.box).tolist() if line.box else None for line in lines]
    return [Line(line.text, corners_of(box)) for line, box in zip(lines, boxes, strict=True)]


def sheet_of(picture: DocumentPage) -> tuple[Sheet, tuple[float, float]]:
    """Return the page as large as on paper. A sent picture is assumed to have the resolution of drawn pages."""
    scale = POINTS_PER_INCH / settings.MAAS_RENDER_DPI
    scale = min(scale, LONGEST_SIDE_POINTS / max(picture.width_px, picture.height_px))
    size = picture.width_px * scale, picture.height_px * scale
    return Sheet(size[1], scale), size


_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_COLORS = {0: 1, 2: 3, 3: 1}
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
    width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if color not in _PNG_COLORS or interlaced:
        raise UnknownPicture(f"a PNG file of color type {color}, interlaced: {interlaced}")
    frame = _Frame(width, height, _PNG_COLORS[color])
    space: pikepdf.Object = _SPACES[frame.channels]
    if color == _PALETTE:
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
