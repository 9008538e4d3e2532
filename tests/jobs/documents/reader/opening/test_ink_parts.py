"""Tests of the parts of pictures that have ink, and of reading codes in them."""

import numpy as np
import zxingcpp
from PIL import Image, ImageDraw, ImageOps
from zxingcpp import BarcodeFormat

from jobs.documents.reader.opening.cells import area
from jobs.documents.reader.opening.codes import read_codes
from jobs.documents.reader.opening.ink_parts import ink_parts

SIZE = 1654, 2339


def page(noise: float = 0.0) -> Image.Image:
    grain = np.random.default_rng(1).normal(240, noise, SIZE[::-1]) if noise else np.full(SIZE[::-1], 240.0)
    return Image.fromarray(np.clip(grain, 0, 255).astype(np.uint8))


def code(content: str, symbology: BarcodeFormat, module: int) -> Image.Image:
    pixels = np.asarray(zxingcpp.create_barcode(content, symbology).to_image(scale=1))
    rows, columns = pixels.shape[:2]
    return Image.fromarray(pixels).convert("L").resize((columns * module, rows * module), Image.Resampling.NEAREST)


def test_blank_paper_has_no_parts_however_noisy() -> None:
    assert ink_parts(page()) == []
    assert ink_parts(page(10.0)) == []
    assert read_codes(page(10.0)) == []


def test_paper_that_grows_darker_to_one_side_has_no_parts() -> None:
    shade = np.tile(np.linspace(120, 250, SIZE[0]), (SIZE[1], 1)).astype(np.uint8)
    assert ink_parts(Image.fromarray(shade)) == []


def test_only_a_small_part_of_a_page_with_one_line_is_searched() -> None:
    image = page(10.0)
    ImageDraw.Draw(image).line((300, 900, 700, 900), fill=60, width=4)
    parts = ink_parts(image)
    assert len(parts) == 1
    left, top, right, bottom = parts[0]
    assert (left < 300, top < 900, right > 700, bottom > 900) == (True,) * 4
    assert sum(map(area, parts)) < 0.1 * SIZE[0] * SIZE[1]


def test_a_full_page_is_searched_as_a_whole() -> None:
    image = page()
    draw = ImageDraw.Draw(image)
    for row in range(40, SIZE[1], 40):
        draw.line((40, row, SIZE[0] - 40, row), fill=0, width=3)
    assert ink_parts(image) == [(0, 0, *SIZE)]


def test_small_faint_and_inverted_codes_at_the_borders_are_read() -> None:
    image = page(4.0)
    faint = code("faint", BarcodeFormat.DataMatrix, 4).point([170 if level < 128 else 240 for level in range(256)])
    image.paste(faint, (30, 40))
    image.paste(ImageOps.invert(code("inverted", BarcodeFormat.QRCode, 4)), (1400, 2100))
    image.paste(code("large modules", BarcodeFormat.QRCode, 30), (300, 700))
    found = {each.text: each.corners for each in read_codes(image)}
    assert set(found) == {"faint", "inverted", "large modules"}
    assert all(1400 <= x <= SIZE[0] and 2100 <= y <= SIZE[1] for x, y in found["inverted"])


def test_a_tiny_picture_is_searched_as_a_whole() -> None:
    assert ink_parts(Image.new("L", (40, 30), 250)) == [(0, 0, 40, 30)]
    small = code("4006381333931", BarcodeFormat.EAN13, 2)
    assert [each.text for each in read_codes(ImageOps.expand(small, 4, 255))] == ["4006381333931"]
