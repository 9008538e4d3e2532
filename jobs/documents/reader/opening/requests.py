"""The requests that a child answers: inspect a document, read one page, decode a stored picture."""

import io
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, BinaryIO

from PIL import Image

from .arena import write
from .attachments import count_attachments, write_attachments
from .containers import office_type, refuse_old_office
from .detection import EML, FORMATS, HEAD_BYTES, OLE, ZIP, FileType, detect
from .findings import field_findings, page_findings, picture_findings
from .formats import count_pages, read_pages
from .formats.package import Package
from .images import frame_sizes, read_frame, refuse_truncated
from .item_pages import picture_of_page, reply_of
from .limits import DocumentLimits, Rejected
from .passwords import decrypt
from .pdf import PdfPage, open_pdf, page_sizes
from .plain_text import read_lines, refuse_too_many_bytes
from .scanned_parts import beside_text, scanned_parts

Json = Any


def handle(request: Json, files: Sequence[int]) -> Json:
    """Answer a request. The files are the document and, for requests that return pixels, the arena to write them to."""
    limits = DocumentLimits(**request["limits"])
    try:
        with os.fdopen(files[0], "rb", closefd=False) as document:
            # If an earlier child was killed over this file, it has read from the file already, and both share the
            # file's position.
            document.seek(0)
            file_type = _type_of(document, limits, has_password=request["do"] == "decrypt")
            match request["do"]:
                case "inspect":
                    return _inspect(document, file_type, limits)
                case "read_page":
                    number, drawn = request["number"], request["drawn"]
                    return _read_page(document, file_type, number, limits, files[1], drawn=drawn)
                case "read_attachments":
                    return {"attachments": write_attachments(document, file_type, files[1])}
                case "decrypt":
                    return {"bytes": decrypt(document, file_type, request["password"], limits, files[1])}
                case "decode_picture":
                    return _decode_picture(document, file_type, limits, files[1])
                case unknown:
                    raise ValueError(f"unknown request {unknown!r}")
    except Rejected as rejected:
        return {"rejected": rejected.code, "detail": rejected.detail}


def _type_of(document: BinaryIO, limits: DocumentLimits, *, has_password: bool) -> FileType:
    file_type = detect(document.read(HEAD_BYTES))
    if file_type == OLE:
        refuse_old_office(document, has_password=has_password)
        return OLE
    return office_type(Package(document, limits)) if file_type == ZIP else file_type


def _inspect(document: BinaryIO, file_type: FileType, limits: DocumentLimits) -> Json:
    match file_type.kind:
        case "pdf":
            with open_pdf(document.fileno()) as pdf:
                sizes: Sequence[tuple[float, float]] = page_sizes(pdf, limits)
        case "image":
            sizes = frame_sizes(document, file_type, limits)
            if len(sizes) == 1:
                refuse_truncated(document, file_type, limits)
        case kind if kind in FORMATS:
            sizes = [(0, 0)] * count_pages(document, kind, limits)
        case _:
            _text_of(document, limits)
            sizes = [(0, 0)]
    found = {"content_type": file_type.content_type, "kind": file_type.kind, "page_sizes": sizes}
    return {**found, "attachments": count_attachments(document)} if file_type == EML else found


def _read_page(
    document: BinaryIO, file_type: FileType, number: int, limits: DocumentLimits, arena: int, *, drawn: bool
) -> Json:
    match file_type.kind:
        case "pdf":
            return _read_pdf_page(document, number, limits, arena, drawn=drawn)
        case "image":
            image = read_frame(document, file_type, number, limits)
            return {**_write_page(image, None, arena), "findings": picture_findings(image)}
        case kind if kind in FORMATS:
            pages = read_pages(document, kind, number, limits)
            picture = picture_of_page(document, pages[0], limits)
            if picture is None:
                return reply_of(pages)
            return {**_write_page(picture, None, arena), "findings": picture_findings(picture)}
        case _:
            lines = [{"text": line, "box": None} for line in _text_of(document, limits)]
            return _without_picture((0, 0), lines)


def _read_pdf_page(document: BinaryIO, number: int, limits: DocumentLimits, arena: int, *, drawn: bool) -> Json:
    with open_pdf(document.fileno()) as pdf:
        page = PdfPage(pdf, number, limits)
        lines = page.text_lines() or []
        boxed = [(line, page.corners(line)) for line in lines]
        boxed = [(line, box) for line, box in boxed if _has_area(box)]
        visible = [{"text": line.text, "box": box, "words": _rounded(line.words, 4)} for line, box in boxed]
        covered = [box for _, box in boxed]
        rules = _rounded(page.rules(), 1) if visible else []
        pictures = beside_text(page.pictures(), covered, page.size_px) if visible else []
        # A page that is to be drawn was read before, and its findings are known.
        findings = page_findings(page) if visible and not drawn else {}
        if visible and not pictures and not drawn:
            return {**_without_picture(page.size_px, visible), "rules": rules, "findings": findings}
        image = page.render()
        scans = scanned_parts(image, pictures, covered)
        if visible and not scans and not drawn:
            return {**_without_picture(page.size_px, visible), "rules": rules, "findings": findings}
        if not visible:
            findings = {**picture_findings(image), **field_findings(page)}
        return {**_write_page(image, visible or None, arena), "scans": scans, "rules": rules, "findings": findings}


def _rounded(rows: Iterable[Sequence[float]], digits: int) -> list[list[float]]:
    return [[round(value, digits) for value in row] for row in rows]


def _without_picture(size: tuple[int, int], lines: Json) -> Json:
    width, height = size
    return {"width": width, "height": height, "lines": lines, "picture_bytes": 0, "picture_type": None}


def _has_area(box: Sequence[tuple[float, float]]) -> bool:
    """Return False for text beside the page, whose corners were all moved to the page's border."""
    (left, top), *others = box
    sides = [(x - left, y - top) for x, y in others]
    return any(x0 * y1 != x1 * y0 for (x0, y0), (x1, y1) in pairwise(sides))


def _decode_picture(document: BinaryIO, file_type: FileType, limits: DocumentLimits, arena: int) -> Json:
    if file_type.kind != "image":
        raise ValueError("a stored picture is an image")
    image = read_frame(document, file_type, 1, limits)
    write(arena, image.tobytes(), 0)
    return {"width": image.width, "height": image.height}


def _write_page(image: Image.Image, lines: Json, arena: int) -> Json:
    """Write the pixels of the stored picture, with its losses so that models always read the same, then its file."""
    picture = encode(image)
    pixels = picture.decoded(image).tobytes()
    write(arena, pixels, 0)
    write(arena, picture.data, len(pixels))
    return {
        "width": image.width,
        "height": image.height,
        "lines": lines,
        "picture_bytes": len(picture.data),
        "picture_type": picture.content_type,
    }


def _text_of(document: BinaryIO, limits: DocumentLimits) -> list[str]:
    refuse_too_many_bytes(os.fstat(document.fileno()).st_size, limits)
    document.seek(0)
    return read_lines(document.read(), limits)


_MAX_PALETTE_COLORS = 256
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
    colors = image.getcolors(_MAX_PALETTE_COLORS)
    if colors is not None and max(colors)[0] >= _MIN_BACKGROUND * math.prod(image.size):
        data = _png(_reduced(image, [color for _, color in colors]))
        if len(data) <= _LARGEST_PNG_BYTES:
            return EncodedPicture(data, "image/png")
    if max(image.size) > _LONGEST_JPEG_SIDE:
        return EncodedPicture(_png(image), "image/png")
    return EncodedPicture(_jpeg(image), "image/jpeg")


def _reduced(image: Image.Image, colors: list[object]) -> Image.Image:
    is_gray = all(isinstance(color, tuple) and len(set(color)) == 1 for color in colors)
    return image.convert("L") if is_gray else image


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=_PNG_COMPRESSION)
    return buffer.getvalue()


def _jpeg(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=_JPEG_QUALITY)
    return buffer.getvalue()
