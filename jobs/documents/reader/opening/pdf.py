"""Opens PDF files with PDFium, one at a time, since PDFium is not thread-safe."""

import ctypes
import math
import mmap
from collections.abc import Iterator
from contextlib import contextmanager

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

from .limits import (
    DocumentLimits,
    Rejected,
    corrupt,
    empty,
    encrypted,
    no_such_page,
    page_too_large,
    too_large,
    too_many_pages,
)
from .text_layer import Glyph, gather_lines, is_real_text

_POINTS_PER_INCH = 72
_TAIL_BYTES = 2048
_SUBPIXELS = 8
"""The grid steps in a pixel. PDFium maps coordinates only to whole pixels, so boxes use a finer grid."""
_MAX_PICTURES_WEIGHED = 500
_FORM_DEPTH = 3
_NO_RESERVE: int = getattr(mmap, "MAP_NORESERVE", 0x4000)
"""The flag for a mapping without reserved memory on Linux (x86-64, arm64). Python names it from 3.13 on."""

Corner = tuple[float, float]


@contextmanager
def open_pdf(descriptor: int) -> Iterator[pypdfium2.PdfDocument]:
    # The mapping is private, since PDFium wants a writable buffer and the file must not be read into memory as a whole.
    # It is unmapped when PDFium's objects release it; closing it while they use it would be an error. Nothing writes to
    # it, so no memory has to be reserved for a document that is larger than the memory.
    mapped = mmap.mmap(descriptor, 0, mmap.MAP_PRIVATE | _NO_RESERVE, mmap.PROT_READ | mmap.PROT_WRITE)
    document = _load((ctypes.c_char * len(mapped)).from_buffer(mapped), mapped)
    try:
        document.init_forms()
        yield document
    finally:
        document.close()


def page_sizes(document: pypdfium2.PdfDocument, limits: DocumentLimits) -> list[tuple[float, float]]:
    """Return the width and height of each page in points. They are zeros for a page that cannot be read."""
    count = len(document)
    if count > limits.max_pages:
        raise too_many_pages(count, limits)
    sizes = [_size_of(document, index) for index in range(count)]
    for number, size in enumerate(sizes, 1):
        _refuse_too_large(number, size, limits)
    if not any(width and height for width, height in sizes):
        raise corrupt("None of the PDF's pages can be read.")
    return sizes


class PdfPage:
    """One page, with its annotations and filled form fields drawn into it."""

    def __init__(self, document: pypdfium2.PdfDocument, number: int, limits: DocumentLimits) -> None:
        if number > len(document):
            raise no_such_page(number, len(document))
        size = _size_of(document, number - 1)
        _refuse_too_large(number, size, limits)
        self._limits = limits
        try:
            self._page = document[number - 1]
            if pdfium.FPDFPage_GetAnnotCount(self._page) and self._page.formenv:
                self._page.flatten()
                self._page.close()
                self._page = document[number - 1]
        except pypdfium2.PdfiumError as error:
            raise corrupt(f"Page {number} of the PDF cannot be read.") from error
        width, height = self._page.get_size()
        self._scale = render_scale(width, height, limits)
        self.size_px = math.ceil(width * self._scale), math.ceil(height * self._scale)

    def render(self) -> Image.Image:
        bitmap = self._page.render(scale=self._scale, rev_byteorder=True)
        image: Image.Image = bitmap.to_pil().convert("RGB")
        return image

    def text_lines(self) -> list[Glyph] | None:
        """Return the page's own text, or None if it has none that can be trusted."""
        textpage = self._page.get_textpage()
        count = textpage.count_chars()
        if count > self._limits.max_text_chars:
            raise too_large(f"The page has {count} characters and at most {self._limits.max_text_chars} are allowed.")
        glyphs = list(_glyphs(textpage, count))
        if not is_real_text("".join(glyph.text for glyph in glyphs), self._picture_coverage()):
            return None
        return gather_lines(glyphs)[: self._limits.max_text_lines]

    def corners(self, line: Glyph) -> list[Corner]:
        """Return the line's corners in pixels of the rendered page, clockwise from the top left as the line is read."""
        around = (
            (line.left, line.top),
            (line.right, line.top),
            (line.right, line.bottom),
            (line.left, line.bottom),
        )
        return [self._to_pixels(x, y) for x, y in around]

    def _to_pixels(self, x: float, y: float) -> Corner:
        width, height = self.size_px
        across, down = ctypes.c_int(), ctypes.c_int()
        fine = (width * _SUBPIXELS, height * _SUBPIXELS)
        pdfium.FPDF_PageToDevice(self._page, 0, 0, *fine, 0, x, y, across, down)
        return (
            min(max(across.value / _SUBPIXELS, 0.0), float(width)),
            min(max(down.value / _SUBPIXELS, 0.0), float(height)),
        )

    def pictures(self) -> list[tuple[float, float, float, float]]:
        """Return the left, top, right and bottom of each picture in pixels of the rendered page."""
        found = []
        for left, bottom, right, top in self._picture_bounds():
            corners = [self._to_pixels(left, bottom), self._to_pixels(right, top)]
            (one_x, other_x), (one_y, other_y) = zip(*corners, strict=True)
            found.append((min(one_x, other_x), min(one_y, other_y), max(one_x, other_x), max(one_y, other_y)))
        return found

    def _picture_coverage(self) -> float:
        """Return the share of the page under its largest picture."""
        page_area = math.prod(self._page.get_size()) or 1.0
        areas = ((right - left) * (top - bottom) for left, bottom, right, top in self._picture_bounds())
        return min(max(areas, default=0.0) / page_area, 1.0)

    def _picture_bounds(self) -> Iterator[tuple[float, float, float, float]]:
        found = self._page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=_FORM_DEPTH)
        for _, picture in zip(range(_MAX_PICTURES_WEIGHED), found, strict=False):
            yield picture.get_bounds()


def render_scale(width: float, height: float, limits: DocumentLimits) -> float:
    """Return the pixels per point: as wanted, or as many as keep the page within its pixel limit."""
    scale = limits.render_dpi / _POINTS_PER_INCH
    while math.ceil(width * scale) * math.ceil(height * scale) > limits.max_page_pixels:
        pixels = math.ceil(width * scale) * math.ceil(height * scale)
        scale *= min(math.sqrt(limits.max_page_pixels / pixels), 0.999)
    return scale


def _load(buffer: object, mapped: mmap.mmap) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(buffer)
    except pypdfium2.PdfiumError as error:
        raise _why_not_loaded(error.err_code, mapped) from error


def _why_not_loaded(code: int | None, mapped: mmap.mmap) -> Rejected:
    if code in {pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY}:
        return encrypted()
    is_complete = b"%%EOF" in mapped[-_TAIL_BYTES:]
    if code == pdfium.FPDF_ERR_SUCCESS and is_complete:
        return empty("The PDF has no pages.")
    return corrupt("The PDF is damaged or incomplete and cannot be opened.")


def _size_of(document: pypdfium2.PdfDocument, index: int) -> tuple[float, float]:
    try:
        width, height = document.get_page_size(index)
    except pypdfium2.PdfiumError:
        return 0.0, 0.0
    return float(width), float(height)


def _refuse_too_large(number: int, size: tuple[float, float], limits: DocumentLimits) -> None:
    if not all(math.isfinite(side) and side <= limits.max_page_points for side in size):
        raise page_too_large(number, *size, limits)


def _glyphs(textpage: pypdfium2.PdfTextPage, count: int) -> Iterator[Glyph]:
    box = pdfium.FS_RECTF()
    high = 0
    for index in range(count):
        unit = pdfium.FPDFText_GetUnicode(textpage, index)
        if 0xD800 <= unit < 0xDC00:
            high = unit
            continue
        if 0xDC00 <= unit < 0xE000:
            unit = 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00) if high else 0xFFFD
        high = 0
        pdfium.FPDFText_GetLooseCharBox(textpage, index, box)
        yield Glyph(chr(unit), box.left, box.bottom, box.right, box.top)
