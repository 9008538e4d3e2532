"""Finds the rules on the picture of an upright page: level and upright lines, and the edges of filled areas."""

from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

from inference.core.contracts import Box, Pixels
from inference.pictures.ink import Gray

Mask = npt.NDArray[np.bool_]

MIN_LENGTH = 0.018
"""The length of a rule, at least, as a share of the longer side of the page. Strokes of letters are shorter."""
MAX_THICKNESS = 0.006
"""The thickness of a rule, at most, as a share of the longer side. Thicker ones are filled areas."""
SLANT = 0.012
"""The rise of a rule along its length that is left when a page has been straightened, at most."""
FILLED = 0.85
"""The share of a filled area that is dark."""
NEIGHBORHOOD = 0.02
DARKER = 12
"""The difference of ink from the paper around it, of 255."""
SOLID = 0.9
"""The share of the length of a rule that is dark, at least. Letters in a row have gaps."""
CLOSE_INK = 0.35
"""The share of the length with ink close by on the emptier side, at most. Rows of letters have more on both."""
CLEAR_INK = 0.35
"""The same on the fuller side of a short rule."""
CLOSE_PX = 3
SHORT = 0.06
"""The length, as a share of the longer side, below which a rule has paper on both sides. Words are as long."""
MAX_RULES = 4_000


def find_rules(image: Pixels) -> list[Box]:
    """Return thin boxes around the rules."""
    gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    side = max(gray.shape)
    around = 2 * int(NEIGHBORHOOD * side / 2) + 1
    ink = cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, max(3, around), DARKER)
    length, thickness = max(8, int(MIN_LENGTH * side)), max(3.0, MAX_THICKNESS * side)
    level = _along(np.asarray(ink, np.uint8), length, thickness)
    upright = _along(np.ascontiguousarray(ink.T, np.uint8), length, thickness)
    return [*level, *((top, left, bottom, right) for left, top, right, bottom in upright)][:MAX_RULES]


def _along(ink: Gray, length: int, thickness: float) -> Iterator[Box]:
    """Yield the level lines. A page may lean so little that a line still runs on from row to row."""
    bridged = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, 5), np.uint8))
    lines = cv2.morphologyEx(bridged, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    joined = cv2.dilate(lines, np.ones((3, 3), np.uint8))
    count, labels, found, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    for number in range(1, count):
        left, top, width, height, area = found[number].tolist()
        if height - 2 > thickness + SLANT * width or area > 3 * (thickness + 2) * width or width < length:
            continue
        area_of = np.s_[top : top + height, left + 1 : left + width - 1]
        line = (labels[area_of] == number) & (lines[area_of] > 0)
        if _is_alone(line, ink, top, left + 1):
            yield float(left), float(top), float(left + width), float(top + height)


def _is_alone(line: Mask, ink: Gray, top: int, left: int) -> bool:
    """Return whether a line is solid, with paper above or below it, and not a row of letters."""
    columns = np.flatnonzero(line.any(axis=0))
    first = line.argmax(axis=0)[columns] + top
    last = top + len(line) - 1 - line[::-1].argmax(axis=0)[columns]
    along = columns + left
    middle = (first + last) // 2
    solid = np.mean([ink[np.clip(middle + shift, 0, len(ink) - 1), along] > 0 for shift in (-1, 0, 1)], axis=0)
    if np.mean(solid > 0) < SOLID:
        return False
    above = np.mean(ink[np.maximum(first - CLOSE_PX, 0), along] > 0)
    below = np.mean(ink[np.minimum(last + CLOSE_PX, len(ink) - 1), along] > 0)
    short = len(columns) < SHORT * max(ink.shape)
    return bool(min(above, below) <= CLOSE_INK and not (short and max(above, below) > CLEAR_INK))
