"""Draw images of pages with Pillow's own font."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from inference.core.contracts import PageInput, Pixels

LETTER = (
    "Northwind Traders Ltd.",
    "12 Harbour Road, Bristol",
    "Invoice no. 2024-0187",
    "Dear Mrs Thompson,",
    "thank you for your order of 14 March.",
    "Please pay 1771.20 within 30 days.",
    "Yours sincerely, Peter Hall",
)


def draw_page(
    lines: Sequence[str], *, width: int = 900, height: int = 640, size: int = 30, angle: float = 0.0
) -> Pixels:
    picture = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(picture)
    for row, line in enumerate(lines):
        draw.text((60, 50 + row * 70), line, fill="black", font=ImageFont.load_default(size=size))
    return np.array(picture.rotate(angle, fillcolor="white"))


def picture_page(pixels: Pixels) -> PageInput:
    height, width = pixels.shape[:2]
    return PageInput(1, width, height, text_lines=None, load_pixels=lambda: pixels)
