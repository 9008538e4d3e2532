"""Pictures of printed lines, drawn with the font that comes with Pillow."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from inference.core.contracts import Pixels
from inference.pictures.ink import Gray, ink_mask, small_picture

WORDS = "the quick brown fox jumps over the lazy dog and runs on through dark green woods at night"
MARGIN = 80


def drawn_lines(width: int = 900, height: int = 1200, *, ink: int = 20, paper: int = 250, size: float = 22) -> Pixels:
    picture = Image.new("RGB", (width, height), (paper,) * 3)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(size)
    for row, top in enumerate(range(MARGIN, height - MARGIN, round(size * 1.6))):
        text = (WORDS + " " + WORDS)[row % 9 :]
        while draw.textlength(text, font) > width - 2 * MARGIN:
            text = text.rpartition(" ")[0]
        draw.text((MARGIN, top), text, (ink,) * 3, font)
    return np.asarray(picture)


def turned(pixels: Pixels, degrees: float, beyond: int = 250) -> Pixels:
    """Return the picture turned clockwise on a larger one."""
    image = Image.fromarray(pixels).rotate(-degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=(beyond,) * 3)
    return np.asarray(image)


def mask_of(pixels: Pixels) -> Gray:
    return ink_mask(small_picture(pixels).gray)


def noise(height: int, width: int) -> Pixels:
    return np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8)


def plain(height: int, width: int, gray: int = 255) -> Pixels:
    return np.full((height, width, 3), gray, np.uint8)


ODD: dict[str, Pixels] = {
    "one pixel": plain(1, 1),
    "one row": plain(1, 4000, 200),
    "one column": plain(4000, 1, 0),
    "two pixels": noise(1, 2),
    "small": noise(5, 7),
    "white": plain(1200, 900),
    "black": plain(1200, 900, 0),
    "noise": noise(1200, 900),
}
"""Pictures without lines, some of strange sizes."""
