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
MUCH_INK = 0.55
"""The share of the length with ink close by from which on a closer look is of no use."""
CLOSE_PX = 3
SHORT = 0.06
"""The length, as a share of the longer side, below which a rule has paper on both sides. Words are as long."""
MAX_LOOKS = 400
"""The places along a rule that are looked at, about."""
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
    outlines, _ = cv2.findContours(joined, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    for outline in outlines:
        left, top, width, height = cv2.boundingRect(outline)
        if height - 2 > thickness + SLANT * width or width < length or _is_in_text(ink, left, top, width, height):
            continue
        inside = np.zeros((height, width), np.uint8)
        cv2.drawContours(inside, [outline], 0, 1, cv2.FILLED, offset=(-left, -top))
        if cv2.countNonZero(inside) > 3 * (thickness + 2) * width:
            continue
        line = cv2.bitwise_and(inside, lines[top : top + height, left : left + width])[:, 1:-1] > 0
        if line.any() and _is_alone(line, ink, top, left + 1):
            yield float(left), float(top), float(left + width), float(top + height)


def _is_in_text(ink: Gray, left: int, top: int, width: int, height: int) -> bool:
    """Return whether there is ink close by above and below, as at letters. It is quicker than to look at the line."""
    rows = (max(0, top + 1 - CLOSE_PX), min(len(ink) - 1, top + height - 2 + CLOSE_PX))
    inked = [cv2.countNonZero(ink[row, left : left + width]) / width for row in rows]
    return min(inked) > MUCH_INK or (width < SHORT * max(ink.shape) and max(inked) > MUCH_INK)


def _is_alone(line: Mask, ink: Gray, top: int, left: int) -> bool:
    """Return whether a line is solid, with paper above or below it, and not a row of letters."""
    columns = np.flatnonzero(line.any(axis=0))
    short = len(columns) < SHORT * max(ink.shape)
    columns = columns[:: 1 + len(columns) // MAX_LOOKS]
    line = line[:, columns]
    first = line.argmax(axis=0) + top
    last = top + len(line) - 1 - line[::-1].argmax(axis=0)
    along, end = columns + left, len(ink) - 1
    above = _inked(ink[np.maximum(first - CLOSE_PX, 0), along])
    below = _inked(ink[np.minimum(last + CLOSE_PX, end), along])
    if min(above, below) > CLOSE_INK or (short and max(above, below) > CLEAR_INK):
        return False
    middle = (first + last) // 2
    near = [ink[row, along] for row in (np.maximum(middle - 1, 0), middle, np.minimum(middle + 1, end))]
    return _inked(near[0] | near[1] | near[2]) >= SOLID


def _inked(values: Gray) -> float:
    return np.count_nonzero(values) / values.size
