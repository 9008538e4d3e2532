"""Tests that lines of any size are prepared within bounds."""

import numpy as np
import pytest

from inference.core.contracts import Pixels
from inference.runtime.tesseract_lines import BORDER, LINE_HEIGHT, MAX_WIDTH, prepared_line

HEIGHT = LINE_HEIGHT + 2 * BORDER


def striped(height: int, width: int) -> Pixels:
    picture = np.full((height, width, 3), 255, np.uint8)
    picture[:, ::2] = 0
    return picture


@pytest.mark.parametrize(
    ("height", "width"), [(1, 1), (1, 10_000), (2, 3), (48, 2), (10_000, 1), (40, 900), (48, 20_000), (2000, 2000)]
)
def test_line_of_any_size_gets_the_standard_height_and_a_bounded_width(height: int, width: int) -> None:
    prepared = prepared_line(striped(height, width))
    if prepared is not None:
        assert prepared.shape[0] == HEIGHT
        assert LINE_HEIGHT <= prepared.shape[1] <= MAX_WIDTH + 2 * BORDER


@pytest.mark.parametrize("shade", [0, 130, 255])
def test_blank_line_is_not_read(shade: int) -> None:
    assert prepared_line(np.full((40, 300, 3), shade, np.uint8)) is None
    assert prepared_line(np.empty((0, 300, 3), np.uint8)) is None


@pytest.mark.parametrize(("paper", "ink"), [(255, 0), (0, 255)])
def test_margins_around_the_text_are_left_out(paper: int, ink: int) -> None:
    line = np.full((60, 400, 3), paper, np.uint8)
    line[21:39, 101:299:3] = ink
    prepared = prepared_line(line)
    assert prepared is not None
    # 20 rows and 198 columns are left, with a pixel of paper on each side.
    assert prepared.shape == (HEIGHT, round(198 * LINE_HEIGHT / 20) + 2 * BORDER)
