"""Finds bands: rows of a page with a colored background, such as every other row of a table."""

from collections.abc import Iterator

import cv2
import numpy as np

from inference.core.contracts import Box
from inference.pictures.ink import MEASURED_SIDE, Gray

MIN_DARKER = 7
"""The difference in gray levels between a band and the paper, at least."""
PRINT = (3, 25)
"""The height and width of gaps in print, at most, in pixels of the small picture. Print with these gaps is left out."""
MAX_HEIGHT = 52
"""The height of a band, at most, in these pixels."""
MIN_HEIGHT, MIN_WIDTH = 5, 60
MIN_FILLED = 0.85
"""The share of the box around a band that belongs to it, at least."""
EVEN = 5
"""The difference in gray levels within the background of a band, at most."""
MIN_EVEN = 0.25
"""The share of a band that is background, at least: of all of it and of its edges. Rows of letters have less."""


def find_bands(page: Gray) -> list[Box]:
    """Return the bands of an upright page."""
    step = max(1, round(max(page.shape) / MEASURED_SIDE))
    height, width = (max(1, side // step) for side in page.shape)
    within = page[: height * step, : width * step]
    gray = np.asarray(cv2.blur(cv2.resize(within, (width, height), interpolation=cv2.INTER_AREA), (5, 1)), np.uint8)
    plain = cv2.morphologyEx(gray, cv2.MORPH_CLOSE, np.ones(PRINT, np.uint8))
    paper = cv2.morphologyEx(plain, cv2.MORPH_CLOSE, np.ones((MAX_HEIGHT + 1, 1), np.uint8))
    _, darker = cv2.threshold(cv2.subtract(paper, plain), MIN_DARKER - 1, 1, cv2.THRESH_BINARY)
    areas = cv2.morphologyEx(darker, cv2.MORPH_OPEN, np.ones((MIN_HEIGHT, MIN_WIDTH), np.uint8))
    found = _bands(gray, np.asarray(plain, np.uint8), np.asarray(areas, np.uint8))
    return [(left * step, top * step, right * step, bottom * step) for left, top, right, bottom in found]


def _bands(gray: Gray, plain: Gray, areas: Gray) -> Iterator[tuple[int, int, int, int]]:
    _, _, boxes, _ = cv2.connectedComponentsWithStats(areas, connectivity=4)
    for left, top, width, height, area in boxes[1:].tolist():
        if height < MIN_HEIGHT or height > MAX_HEIGHT or area < MIN_FILLED * width * height:
            continue
        inside = np.s_[top : top + height, left : left + width]
        level = float(np.median(plain[inside]))
        even = np.abs(gray[inside] - level) <= EVEN
        if min(even.mean(), even[1].mean(), even[-2].mean()) >= MIN_EVEN:
            yield left, top, left + width, top + height
