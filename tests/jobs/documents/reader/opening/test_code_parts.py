"""Tests of the parts of pictures that may be codes."""

import numpy as np
import zxingcpp
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from zxingcpp import BarcodeFormat

from jobs.documents.reader.opening.cells import Part
from jobs.documents.reader.opening.code_parts import code_parts
from jobs.documents.reader.opening.codes import read_codes


def page() -> Image.Image:
    return Image.new("L", (1240, 1754), 250)


def code(content: str, symbology: BarcodeFormat, module: int) -> Image.Image:
    pixels = np.asarray(zxingcpp.create_barcode(content, symbology).to_image(scale=1))
    rows, columns = pixels.shape[:2]
    return Image.fromarray(pixels).convert("L").resize((columns * module, rows * module), Image.Resampling.NEAREST)


def holds(parts: list[Part], left: int, top: int, picture: Image.Image) -> bool:
    right, bottom = left + picture.width, top + picture.height
    return any(part[0] <= left and part[1] <= top and part[2] >= right and part[3] >= bottom for part in parts)


def test_bars_are_found_whichever_way_they_lie() -> None:
    image, bars = page(), code("Shipment 1234", BarcodeFormat.Code128, 2)
    image.paste(bars, (300, 200))
    image.paste(bars.rotate(90, expand=True), (300, 800))
    parts = code_parts(image).bars
    assert holds(parts, 300, 200, bars)
    assert holds(parts, 300, 800, bars.rotate(90, expand=True))


def test_a_square_of_modules_is_found() -> None:
    image, square = page(), code("https://example.com/documents/1", BarcodeFormat.QRCode, 3)
    image.paste(square, (300, 200))
    assert holds(code_parts(image).squares, 300, 200, square)


def test_text_and_the_lines_of_tables_are_no_codes() -> None:
    image = page()
    draw = ImageDraw.Draw(image)
    for at in range(30):
        text = "An interesting summary of 318 assessments, with 2,506 sites in Dover"
        draw.text((80, 60 + 40 * at), text, fill=20, font=ImageFont.load_default(16 + at % 8))
    for at in range(6):
        draw.line((100 + 150 * at, 1300, 100 + 150 * at, 1600), fill=0, width=2)
        draw.line((100, 1300 + 60 * at, 850, 1300 + 60 * at), fill=0, width=2)
    assert code_parts(image) == code_parts(page())


def test_a_small_picture_has_no_parts() -> None:
    assert code_parts(Image.new("L", (8, 300), 0)).bars == []


def test_blurred_bars_are_read_in_a_closer_look() -> None:
    image = page()
    image.paste(code("4006381333931", BarcodeFormat.EAN13, 2), (300, 200))
    small = image.resize((930, 1316), Image.Resampling.BOX).filter(ImageFilter.GaussianBlur(0.9))
    assert [(found.symbology, found.text) for found in read_codes(small)] == [("ean13", "4006381333931")]
    large = page()
    bars = code("Shipment 1234", BarcodeFormat.Code128, 2)
    large.paste(bars, (300, 200))
    large.paste(bars, (300, 900))
    assert [found.text for found in read_codes(large)] == ["Shipment 1234"] * 2
