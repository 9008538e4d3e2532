"""Opens PDF files with PDFium, one at a time, since PDFium is not thread-safe."""

import ctypes
import math
import mmap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image, ImageDraw

from .drawn_places import DrawnPlaces, drawn_places
from .drawn_rules import drawn_rules
from .form_fields import FormField, form_fields
from .limits import (
    DocumentLimits,
    Rejected,
    corrupt,
    empty,
    no_such_page,
    page_too_large,
    password_needed,
    too_large,
    too_many_pages,
)
from .text_layer import Glyph, gather_lines, is_level, is_real_text, main_direction, turned_glyph, turned_point
from .tick_marks import EMPTY_SIGNS, TICKED_SIGNS, TICKS

_POINTS_PER_INCH = 72
_TAIL_BYTES = 2048
_SUBPIXELS = 8
"""The grid steps in a pixel. PDFium maps coordinates only to whole pixels, so boxes use a finer grid."""
_MAX_PICTURES_WEIGHED = 500
_FORM_DEPTH = 3
_NO_RESERVE: int = getattr(mmap, "MAP_NORESERVE", 0x4000)
"""The flag for a mapping without reserved memory on Linux (x86-64, arm64). Python names it from 3.13 on."""

_SIGNS = EMPTY_SIGNS | TICKED_SIGNS | TICKS
_MAX_SIGNS = 500

_HIDDEN = frozenset({pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP})
"""The ways of drawing text that leave no ink."""
_LONGEST_MASK_SIDE = 400
"""The longest side in pixels of the small copy of a page on which pictures are marked."""

Corner = tuple[float, float]
Sides = tuple[float, float, float, float]
"""Left, bottom, right and top."""


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
    """A page, with its annotations and filled form fields drawn into it."""

    def __init__(self, document: pypdfium2.PdfDocument, number: int, limits: DocumentLimits) -> None:
        if number > len(document):
            raise no_such_page(number, len(document))
        size = _size_of(document, number - 1)
        _refuse_too_large(number, size, limits)
        self._limits = limits
        self._document, self._number = document, number
        self._direction = 0.0
        self.fields: list[FormField] = []
        """The form fields as they were before they were drawn into the page."""
        self.signs: list[Glyph] = []
        """The characters of the text that are tick boxes or ticks."""
        try:
            self._page = document[number - 1]
            if pdfium.FPDFPage_GetAnnotCount(self._page) and self._page.formenv:
                self.fields = form_fields(self._page, self._page.formenv)
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
        glyphs = list(self._glyphs(self._page.get_textpage(), 0.0))
        if not is_real_text("".join(glyph.text for glyph in glyphs), self._picture_coverage()):
            return None
        self._direction = main_direction(glyphs)
        if self._direction:
            glyphs = list(self._glyphs(self._leveled(self._direction).get_textpage(), self._direction))
        self.signs = [glyph for glyph in glyphs if glyph.text in _SIGNS][:_MAX_SIGNS]
        return gather_lines(glyphs)[: self._limits.max_text_lines]

    def _leveled(self, direction: float) -> pypdfium2.PdfPage:
        """Return the page with its objects turned so that its text is level: PDFium tells words apart best there."""
        page = self._document[self._number - 1]
        cosine, sine = turned_point(1.0, 0.0, -direction)
        for index in range(pdfium.FPDFPage_CountObjects(page)):
            found = pdfium.FPDFPage_GetObject(page, index)
            pdfium.FPDFPageObj_Transform(found, cosine, sine, -sine, cosine, 0, 0)
        return page

    def _glyphs(self, textpage: pypdfium2.PdfTextPage, turned: float) -> Iterator[Glyph]:
        """Yield the characters on the page but those that are hidden where there is no picture, such as a scan."""
        count = textpage.count_chars()
        if count > self._limits.max_text_chars:
            raise too_large(f"The page has {count} characters and at most {self._limits.max_text_chars} are allowed.")
        bounds = self._page.get_bbox()
        pictures: _Pictures | None = None
        for glyph, is_hidden in _chars(textpage, count):
            if not glyph.text.isspace():
                x, y = (glyph.left + glyph.right) / 2, (glyph.bottom + glyph.top) / 2
                if turned or glyph.direction:
                    x, y = turned_point(x, y, turned if is_level(glyph.direction) else turned + glyph.direction)
                if not _is_on(bounds, x, y, glyph):
                    continue
                if is_hidden:
                    pictures = pictures or _Pictures(bounds, self._picture_bounds())
                    if not pictures.cover(x, y):
                        continue
            yield glyph

    def corners(self, line: Glyph) -> list[Corner]:
        """Return the line's corners in pixels of the rendered page, clockwise from the top left as the line is read."""
        around = (
            (line.left, line.top),
            (line.right, line.top),
            (line.right, line.bottom),
            (line.left, line.bottom),
        )
        direction = self._direction + line.direction
        return [self._to_pixels(*turned_point(x, y, direction)) for x, y in around]

    def _to_pixels(self, x: float, y: float) -> Corner:
        width, height = self.size_px
        across, down = ctypes.c_int(), ctypes.c_int()
        fine = (width * _SUBPIXELS, height * _SUBPIXELS)
        pdfium.FPDF_PageToDevice(self._page, 0, 0, *fine, 0, x, y, across, down)
        return (
            min(max(across.value / _SUBPIXELS, 0.0), float(width)),
            min(max(down.value / _SUBPIXELS, 0.0), float(height)),
        )

    def pictures(self) -> list[Sides]:
        """Return the left, top, right and bottom of each picture in pixels of the rendered page."""
        return [self.pixels_of(sides) for sides in self._picture_bounds()]

    def pixels_of(self, sides: Sides) -> Sides:
        """Return the left, top, right and bottom of a place in pixels of the rendered page."""
        left, bottom, right, top = sides
        corners = [self._to_pixels(left, bottom), self._to_pixels(right, top)]
        (one_x, other_x), (one_y, other_y) = zip(*corners, strict=True)
        return min(one_x, other_x), min(one_y, other_y), max(one_x, other_x), max(one_y, other_y)

    def drawn_places(self) -> DrawnPlaces:
        return drawn_places(self._page)

    def render_part(self, part: Sides, scale: float) -> Image.Image:
        """Return a part of the page, given in pixels of the rendered page, in gray. `scale` enlarges it."""
        left, top, right, bottom = (side * scale for side in part)
        width, height = max(1, math.ceil(right - left)), max(1, math.ceil(bottom - top))
        whole = [round(side * scale) for side in self.size_px]
        bitmap = pypdfium2.PdfBitmap.new_native(width, height, pdfium.FPDFBitmap_Gray)
        bitmap.fill_rect((255, 255, 255, 255), 0, 0, width, height)
        pdfium.FPDF_RenderPageBitmap(
            bitmap, self._page, -math.floor(left), -math.floor(top), *whole, 0, pdfium.FPDF_ANNOT
        )
        image: Image.Image = bitmap.to_pil()
        return image

    def rules(self) -> list[Sides]:
        """Return the left, top, right and bottom of each level or upright line that the page draws, in pixels."""
        found = []
        for one_x, one_y, other_x, other_y in drawn_rules(self._page):
            (x0, y0), (x1, y1) = self._to_pixels(one_x, one_y), self._to_pixels(other_x, other_y)
            found.append((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))
        return found

    def _picture_coverage(self) -> float:
        """Return the share of the page under its largest picture."""
        page_area = math.prod(self._page.get_size()) or 1.0
        areas = ((right - left) * (top - bottom) for left, bottom, right, top in self._picture_bounds())
        return min(max(areas, default=0.0) / page_area, 1.0)

    def _picture_bounds(self) -> Iterator[Sides]:
        found = self._page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=_FORM_DEPTH)
        for _, picture in zip(range(_MAX_PICTURES_WEIGHED), found, strict=False):
            sides, form = picture.get_bounds(), picture.container
            while form is not None:
                sides, form = form.get_matrix().on_rect(*sides), form.container
            yield sides


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
        return password_needed("PDF")
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


def _is_on(page: Sides, x: float, y: float, glyph: Glyph) -> bool:
    """Return whether a character with its middle here is on the page, at least in part. NaN is not."""
    left, bottom, right, top = page
    half = max(glyph.right - glyph.left, glyph.top - glyph.bottom) / 2
    return left - half < x < right + half and bottom - half < y < top + half


class _Pictures:
    """The parts of a page under its pictures, marked once, so that asking about a character takes no time."""

    def __init__(self, page: Sides, pictures: Iterable[Sides]) -> None:
        self._left, self._bottom, right, top = page
        wide, high = max(right - self._left, 1e-6), max(top - self._bottom, 1e-6)
        self._scale = _LONGEST_MASK_SIDE / max(wide, high)
        self._mask = Image.new("1", (math.ceil(wide * self._scale), math.ceil(high * self._scale)))
        draw = ImageDraw.Draw(self._mask)
        for sides in pictures:
            (x0, y0), (x1, y1) = self._marked(*sides[:2]), self._marked(*sides[2:])
            draw.rectangle((x0, y0, max(x0, x1), max(y0, y1)), 1)
        self._pixels = self._mask.load()

    def cover(self, x: float, y: float) -> bool:
        return self._pixels is not None and bool(self._pixels[self._marked(x, y)])

    def _marked(self, x: float, y: float) -> tuple[int, int]:
        across, up = (x - self._left) * self._scale, (y - self._bottom) * self._scale
        return round(min(max(across, 0), self._mask.width - 1)), round(min(max(up, 0), self._mask.height - 1))


@dataclass(frozen=True, slots=True)
class _TextObject:
    """The facts that all characters of a text object share."""

    font_size: float
    is_hidden: bool


_NO_OBJECT = _TextObject(1.0, is_hidden=False)


def _chars(textpage: pypdfium2.PdfTextPage, count: int) -> Iterator[tuple[Glyph, bool]]:
    """Yield the characters, and whether they are hidden."""
    box, matrix = pdfium.FS_RECTF(), pdfium.FS_MATRIX()
    objects: dict[int, _TextObject] = {}
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
        pdfium.FPDFText_GetMatrix(textpage, index, matrix)
        text_object = _object_of(textpage, index, objects)
        direction = _direction(matrix.a, matrix.b, text_object.font_size)
        glyph = Glyph(chr(unit), box.left, box.bottom, box.right, box.top, direction)
        if direction and not is_level(direction):
            glyph = turned_glyph(glyph, abs(text_object.font_size) * math.hypot(matrix.c, matrix.d))
        yield glyph, text_object.is_hidden


def _direction(a: float, b: float, font_size: float) -> float:
    """Return the degrees counterclockwise in which a font's characters run. A negative size turns them around."""
    if b == 0.0:
        return 0.0 if a * font_size >= 0 else 180.0
    direction = math.degrees(math.atan2(b, a))
    if font_size < 0:
        direction += -180 if direction > 0 else 180
    return direction if math.isfinite(direction) else 0.0


def _object_of(textpage: pypdfium2.PdfTextPage, index: int, known: dict[int, _TextObject]) -> _TextObject:
    handle = pdfium.FPDFText_GetTextObject(textpage, index)
    if not handle:
        return _NO_OBJECT
    address = ctypes.addressof(handle.contents)
    if address not in known:
        size = ctypes.c_float()
        pdfium.FPDFTextObj_GetFontSize(handle, size)
        known[address] = _TextObject(size.value, pdfium.FPDFTextObj_GetTextRenderMode(handle) in _HIDDEN)
    return known[address]
