"""Rows with a colored background are found on pictures, and rows of letters are none."""

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from inference.core.contracts import Pixels
from inference.pictures.bands import find_bands
from inference.pictures.ink import Gray
from inference.pictures.rules import find_rules
from tests.inference.pictures.drawing import drawn_lines, noise, plain

NEAR = 8


def striped(shade: int, sigma: float = 0) -> Pixels:
    """Return a page with rows of 40 pixels, every other one with a background, and text in all of them."""
    image = Image.new("L", (1240, 1754), 250)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(22)
    for row in range(8):
        top = 300 + 40 * row
        if row % 2 == 0:
            draw.rectangle((100, top, 900, top + 40), fill=shade)
        draw.text((120, top + 6), "Storage boxes     1,250     16 September     Dover", fill=20, font=font)
    spread = np.random.default_rng(3).normal(0, sigma, (1754, 1240)) if sigma else 0
    pixels = np.clip(np.asarray(image, np.float64) + spread, 0, 255).astype(np.uint8)
    return np.repeat(pixels[..., None], 3, axis=2)


def gray(picture: Pixels) -> Gray:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)


@pytest.mark.parametrize(("shade", "sigma"), [(236, 0), (205, 0), (120, 0), (230, 6)])
def test_rows_with_a_background_are_found(shade: int, sigma: float) -> None:
    found = find_bands(gray(striped(shade, sigma)))
    wanted = [(100.0, 300.0 + 80 * number, 900.0, 340.0 + 80 * number) for number in range(4)]
    assert len(found) == len(wanted)
    for band, box in zip(found, wanted, strict=True):
        assert all(abs(one - other) <= NEAR for one, other in zip(band, box, strict=True))


def test_the_edges_of_bands_are_rules() -> None:
    found = find_rules(striped(236))
    for at in range(300, 620, 40):
        assert any(left <= 108 and right >= 892 and abs(top - at) <= NEAR for left, top, right, _ in found)


def test_pages_without_a_background_have_no_bands() -> None:
    for picture in (drawn_lines(), drawn_lines(paper=180), drawn_lines(size=14), plain(900, 700), plain(900, 700, 0)):
        assert find_bands(gray(picture)) == []


def test_noise_and_tiny_pictures_have_no_bands() -> None:
    assert find_bands(gray(noise(800, 600))) == []
    assert find_bands(gray(plain(1, 1))) == []
    assert find_bands(gray(plain(3, 2_000))) == []
