"""Tests of what is found on a page beside its text: codes, tick boxes and form fields."""

import io
import math

import numpy as np
import pytest
import zxingcpp
from PIL import Image
from zxingcpp import BarcodeFormat

from inference.core.contracts import NO_FINDINGS
from inference.layout.boxes import Box
from jobs.documents.reader import DocumentReader
from tests.benchmarks.marks.pages import code_page, plain_page, tick_page
from tests.samples.forms import form_pdf
from tests.samples.pdfs import text_pdf, turned_text_pdf

from .conftest import Store

SCALE = 200 / 72
"""The pixels of a drawn page for each point."""


def code_picture(content: str | bytes, symbology: BarcodeFormat, module: int = 4) -> Image.Image:
    matrix = np.asarray(zxingcpp.create_barcode(content, symbology).to_image(scale=module))
    return Image.fromarray(matrix if matrix.ndim == 2 else matrix[..., 0])


def page_with(*pictures: Image.Image) -> bytes:
    page, left = Image.new("L", (1654, 2339), 255), 100
    for picture in pictures:
        page.paste(picture, (left, 300))
        left += picture.width + 60
    buffer = io.BytesIO()
    page.save(buffer, "PNG")
    return buffer.getvalue()


def test_codes_of_a_picture_are_read_whichever_way_they_lie(reader: DocumentReader, store: Store) -> None:
    pictures = [
        code_picture("Grüße aus Köln", BarcodeFormat.QRCode),
        code_picture("A-12345", BarcodeFormat.Code128).rotate(90, expand=True),
        code_picture("part 7", BarcodeFormat.DataMatrix).rotate(20, expand=True, fillcolor=255),
    ]
    found = reader.read_page(store(page_with(*pictures)), "image", 1).findings
    assert {(code.symbology, code.text) for code in found.codes} == {
        ("qr", "Grüße aus Köln"),
        ("code128", "A-12345"),
        ("data_matrix", "part 7"),
    }
    qr = next(code for code in found.codes if code.symbology == "qr")
    assert qr.box[0] == pytest.approx((100 + 16, 300 + 16), abs=3)


def test_content_that_is_no_text_is_in_base64(reader: DocumentReader, store: Store) -> None:
    content = page_with(code_picture(b"\x00\x01\xff\xfe", BarcodeFormat.QRCode))
    (code,) = reader.read_page(store(content), "image", 1).findings.codes
    assert (code.text, code.base64) == ("", "AAH//g==")


@pytest.mark.parametrize("drawn", [False, True])
def test_codes_of_a_page_with_text_are_read_though_the_page_is_not_drawn(
    reader: DocumentReader, store: Store, drawn: bool
) -> None:
    for seed in range(3):
        page = code_page(seed, drawn=drawn)
        content = reader.read_page(store(page.pdf), "pdf", 1)
        assert content.picture is None
        found = {(code.symbology, code.text): Box.of_corners(code.box) for code in content.findings.codes}
        assert set(found) == {(code.symbology, code.text) for code in page.codes}
        for code in page.codes:
            box = found[code.symbology, code.text]
            assert code.box[0] * SCALE - 4 <= box.left <= box.right <= code.box[2] * SCALE + 4
            assert code.box[1] * SCALE - 4 <= box.top <= box.bottom <= code.box[3] * SCALE + 4


def test_boxes_that_a_page_draws_are_found_with_their_ticks(reader: DocumentReader, store: Store) -> None:
    for seed in range(4):
        page = tick_page(seed)
        found = reader.read_page(store(page.pdf), "pdf", 1).findings.tick_boxes
        boxes = sorted((round(box.box[0][1]), round(box.box[0][0]), box.checked) for box in found)
        true = sorted((mark.box[1] * SCALE, mark.box[0] * SCALE, mark.checked) for mark in page.marks)
        assert len(boxes) == len(true)
        assert sum(checked for *_, checked in boxes) == sum(checked for *_, checked in true)


def test_nothing_is_found_on_pages_without_codes_and_boxes(reader: DocumentReader, store: Store) -> None:
    for seed in range(4):
        assert reader.read_page(store(plain_page(seed).pdf), "pdf", 1).findings == NO_FINDINGS
    assert reader.read_page(store(text_pdf("A page of nothing but text.")), "pdf", 1).findings == NO_FINDINGS


def test_form_fields_are_read_exactly(reader: DocumentReader, store: Store) -> None:
    found = reader.read_page(store(form_pdf()), "pdf", 1).findings
    assert [(value.key, value.value) for value in found.form_values] == [
        ("Full name", "Anna Weber"),
        ("city", "Köln"),
        ("country", "Germany"),
    ]
    assert [(box.label, box.name, box.checked) for box in found.tick_boxes] == [
        ("I agree", "agree", True),
        ("", "news", False),
        ("", "post", False),
        ("", "email", True),
    ]
    name = Box.of_corners(found.form_values[0].box)
    assert (name.left, name.bottom) == pytest.approx((72 * SCALE, (842 - 700) * SCALE), abs=1)


def test_a_page_that_is_drawn_later_is_not_searched_again(reader: DocumentReader, store: Store) -> None:
    page = reader.read_page(store(form_pdf()), "pdf", 1, drawn=True)
    assert page.picture is not None
    assert page.findings == NO_FINDINGS


def test_a_picture_full_of_codes_is_read_in_bounds(reader: DocumentReader, store: Store) -> None:
    code = code_picture("x", BarcodeFormat.DataMatrix, 2)
    page = Image.new("L", (3000, 3000), 255)
    for top in range(0, 3000, 40):
        for left in range(0, 3000, 40):
            page.paste(code, (left, top))
    buffer = io.BytesIO()
    page.save(buffer, "PNG")
    assert len(reader.read_page(store(buffer.getvalue()), "image", 1).findings.codes) <= 100


def ring(left: float, bottom: float, radius: float, curves: int) -> str:
    """Return a ring as browsers draw it: of many curves."""
    step, middle = 2 * math.pi / curves, (left + radius, bottom + radius)
    handle = 4 / 3 * math.tan(step / 4)

    def point(angle: float, beside: float) -> str:
        x, y = math.cos(angle) - beside * math.sin(angle), math.sin(angle) + beside * math.cos(angle)
        return f"{middle[0] + radius * x:.3f} {middle[1] + radius * y:.3f}"

    parts = [f"{point(0, 0)} m"]
    for number in range(curves):
        start, end = number * step, (number + 1) * step
        parts.append(f"{point(start, handle)} {point(end, -handle)} {point(end, 0)} c")
    return " ".join(parts)


def test_rings_of_many_curves_are_radio_buttons(reader: DocumentReader, store: Store) -> None:
    rings = [f"{ring(60, bottom, 6, 32)} s" for bottom in (700, 670, 640)]
    dot, spiral = f"{ring(64, 704, 2, 32)} f", f"{ring(60, 600, 6, 16)} {ring(65, 605, 1, 16)} s"
    drawing = " ".join(["1 w", *rings, dot, spiral]).encode()
    content = turned_text_pdf("How was it? Good, fair or poor.", 0, drawing)
    found = reader.read_page(store(content), "pdf", 1).findings.tick_boxes
    assert sorted(box.checked for box in found) == [False, False, True]
