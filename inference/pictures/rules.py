"""Finds the rules on the picture of an upright page: level and upright lines, and the edges of filled areas."""

from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

from inference.core.contracts import Box, Pixels
from inference.pictures.bands import find_bands
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
DARKER_IN_STEPS = 8
"""The same for the mean of pixels in a row, some of which may be paper: dots, and gaps in worn lines."""
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
    """Return thin boxes around the rules and along the edges of bands."""
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), np.uint8)
    side = max(gray.shape)
    length, thickness = max(8, int(MIN_LENGTH * side)), max(3.0, MAX_THICKNESS * side)
    around = max(3, 2 * int(NEIGHBORHOOD * side / 2) + 1)
    level = _level(gray, length, thickness, around)
    upright = _level(np.asarray(cv2.transpose(gray), np.uint8), length, thickness, around)
    edges = ((left, at, right, at) for left, top, right, bottom in find_bands(gray) for at in (top, bottom))
    return [*level, *((top, left, bottom, right) for left, top, right, bottom in upright), *edges][:MAX_RULES]


def _level(gray: Gray, length: int, thickness: float, around: int) -> Iterator[Box]:
    """Yield the level lines, which are looked for where something as long as a line is dark."""
    for left, top, right, bottom in _dark_parts(gray, length, around):
        part = gray[top:bottom, left:right]
        ink = cv2.adaptiveThreshold(part, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, around, DARKER)
        for line in _along(np.asarray(ink, np.uint8), length, thickness, SHORT * max(gray.shape)):
            yield line[0] + left, line[1] + top, line[2] + left, line[3] + top


def _dark_parts(gray: Gray, length: int, around: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield parts of a page, one below the other, that hold all level lines with their neighborhood.

    A line is at least twice as long as the steps, so one of them is dark throughout.
    """
    height, width = gray.shape
    step = length // 2
    count = width // step
    if not count:
        return
    rest = (width - count * step) // 2
    within = gray[:, rest : rest + count * step]
    reduced = cv2.resize(within, (count, height), interpolation=cv2.INTER_AREA)
    near = cv2.blur(reduced, (max(1, around // step) | 1, around), borderType=cv2.BORDER_REPLICATE)
    _, dark = cv2.threshold(cv2.subtract(near, reduced), DARKER_IN_STEPS - 1, 1, cv2.THRESH_BINARY)
    rows = np.flatnonzero(cv2.reduce(dark, 1, cv2.REDUCE_MAX))
    if not len(rows):
        return
    for run in np.split(rows, np.flatnonzero(np.diff(rows) > 2 * around) + 1):
        top, bottom = int(run[0]), int(run[-1]) + 1
        columns = np.flatnonzero(cv2.reduce(dark[top:bottom], 0, cv2.REDUCE_MAX))
        left, right = rest + int(columns[0]) * step, rest + (int(columns[-1]) + 1) * step
        yield (
            max(0, left - length - around),
            max(0, top - around),
            min(width, right + length + around),
            min(height, bottom + around),
        )


def _along(ink: Gray, length: int, thickness: float, short: float) -> Iterator[Box]:
    """Yield the level lines. A page may lean so little that a line still runs on from row to row."""
    bridged = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, 5), np.uint8))
    lines = cv2.morphologyEx(bridged, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    joined = cv2.dilate(lines, np.ones((3, 3), np.uint8))
    outlines, _ = cv2.findContours(joined, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    for outline in outlines:
        left, top, width, height = cv2.boundingRect(outline)
        if (
            height - 2 > thickness + SLANT * width
            or width < length
            or _is_in_text(ink[:, left : left + width], top, height, short)
        ):
            continue
        inside = np.zeros((height, width), np.uint8)
        cv2.drawContours(inside, [outline], 0, 1, cv2.FILLED, offset=(-left, -top))
        if cv2.countNonZero(inside) > 3 * (thickness + 2) * width:
            continue
        line = cv2.bitwise_and(inside, lines[top : top + height, left : left + width])[:, 1:-1] > 0
        if line.any() and _is_alone(line, ink, top, left + 1, short):
            yield float(left), float(top), float(left + width), float(top + height)


def _is_in_text(ink: Gray, top: int, height: int, short: float) -> bool:
    """Return whether there is ink close by above and below, as at letters. It is quicker than to look at the line."""
    rows = (max(0, top + 1 - CLOSE_PX), min(len(ink) - 1, top + height - 2 + CLOSE_PX))
    width = ink.shape[1]
    inked = [cv2.countNonZero(ink[row]) / width for row in rows]
    return bool(min(inked) > MUCH_INK or (width < short and max(inked) > MUCH_INK))


def _is_alone(line: Mask, ink: Gray, top: int, left: int, short: float) -> bool:
    """Return whether a line is solid, with paper above or below it, and not a row of letters."""
    columns = np.flatnonzero(line.any(axis=0))
    is_short = len(columns) < short
    columns = columns[:: 1 + len(columns) // MAX_LOOKS]
    line = line[:, columns]
    first = line.argmax(axis=0) + top
    last = top + len(line) - 1 - line[::-1].argmax(axis=0)
    along, end = columns + left, len(ink) - 1
    above = _inked(ink[np.maximum(first - CLOSE_PX, 0), along])
    below = _inked(ink[np.minimum(last + CLOSE_PX, end), along])
    if min(above, below) > CLOSE_INK or (is_short and max(above, below) > CLEAR_INK):
        return False
    middle = (first + last) // 2
    near = [ink[row, along] for row in (np.maximum(middle - 1, 0), middle, np.minimum(middle + 1, end))]
    return _inked(near[0] | near[1] | near[2]) >= SOLID


def _inked(values: Gray) -> float:
    return np.count_nonzero(values) / values.size
