"""Lines that the detector joined across the white between two columns, and that are parted there.

The space between two words may be as wide as a narrow gutter. But a gutter goes on above or below the line.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from inference.layout.boxes import Box
from inference.pictures.ink import Gray
from inference.runtime.text_detection import Floats

MIN_WIDTH = 0.45
"""The width of a gutter, at least, as a multiple of the height of a line."""
RUN = 8.0
"""The height of white above or below a line that is a gutter, as a multiple of the line's height."""
MIN_LINES = 5
"""The lines on each side of that white."""
BESIDE = 4.0
"""The distance of those lines from it, at most, as a multiple of the line's height."""
MAX_HEIGHT = 1.3
"""The height of a line, at most, as a multiple of the usual one. A headline may reach across columns."""
MIN_LENGTH = 4.0
MAX_GAPS = 20
"""The most gaps in a line that are looked at."""
EDGE = 0.15
"""The share of a line's height that is left away above and below, where the next lines may reach in."""
DUST = 0.02
"""The share of a column of white that may be dust."""


Bounds = npt.NDArray[np.float64]
"""The left, top, right and bottom of each line."""


def part_joined_lines(boxes: Floats, mask: Gray, scale: float) -> Floats:
    """Return the boxes, those that reach across a gutter parted. The mask has a pixel for `scale` of the image."""
    if len(boxes) <= 2 * MIN_LINES:
        return boxes
    extents = [Box.of_corners(box.tolist()) for box in boxes]
    bounds = np.array([(each.left, each.top, each.right, each.bottom) for each in extents])
    usual = float(np.median([each.height for each in extents]))
    parted: list[Floats] = []
    for box, extent in zip(boxes, extents, strict=True):
        plain = extent.height <= MAX_HEIGHT * usual and extent.width >= MIN_LENGTH * extent.height
        parted += _parts(box, list(_cuts(extent, bounds, mask, scale)) if plain else [])
    return np.array(parted, np.float32)


def _cuts(line: Box, bounds: Bounds, mask: Gray, scale: float) -> Iterator[float]:
    """Yield where gutters cross the line, from left to right."""
    edge = EDGE * line.height
    rows = slice(int((line.top + edge) / scale), int((line.bottom - edge) / scale) + 1)
    start = int(line.left / scale)
    inked = np.flatnonzero(mask[rows, start : int(line.right / scale) + 1].any(axis=0))
    white = np.diff(inked)
    least = MIN_WIDTH * line.height / scale
    run = RUN * line.height
    for place in np.flatnonzero(white >= least)[:MAX_GAPS]:
        left, right = start + int(inked[place]) + 1, start + int(inked[place + 1])
        for top, bottom in ((line.bottom, line.bottom + run), (line.top - run, line.top)):
            middle = _white_between(mask, left, right, (int(top / scale), int(bottom / scale)), least)
            if middle is not None and _has_both_sides(bounds, middle * scale, top, bottom, BESIDE * line.height):
                yield middle * scale
                break


def _white_between(mask: Gray, left: int, right: int, rows: tuple[int, int], least: float) -> float | None:
    """Return the middle of the widest white between two columns of the mask, all through these rows."""
    if rows[0] < 0 or rows[1] > len(mask):
        return None
    ink = mask[rows[0] : rows[1], left:right].sum(axis=0, dtype=np.int64) > DUST * (rows[1] - rows[0])
    ends = np.flatnonzero(np.concatenate([[True], ink, [True]]))
    widths = np.diff(ends) - 1
    widest = int(widths.argmax())
    return left + float(ends[widest]) + widths[widest] / 2 if widths[widest] >= least else None


def _has_both_sides(bounds: Bounds, middle: float, top: float, bottom: float, reach: float) -> bool:
    centers = (bounds[:, 1] + bounds[:, 3]) / 2
    within = (centers >= top) & (centers <= bottom)
    left = within & (bounds[:, 0] < middle) & (bounds[:, 2] > middle - reach)
    right = within & (bounds[:, 2] > middle) & (bounds[:, 0] < middle + reach)
    return bool(left.sum() >= MIN_LINES and right.sum() >= MIN_LINES)


def _parts(box: Floats, cuts: Sequence[float]) -> Iterator[Floats]:
    """Yield the parts of a box between upright cuts. Its upper and lower sides stay as they lean."""
    top_left, top_right, bottom_right, bottom_left = box
    width = max(1.0, float(top_right[0] - top_left[0]))
    shares = [0.0, *((cut - float(top_left[0])) / width for cut in cuts), 1.0]
    for start, end in pairwise(shares):
        yield np.array(
            [
                top_left + start * (top_right - top_left),
                top_left + end * (top_right - top_left),
                bottom_left + end * (bottom_right - bottom_left),
                bottom_left + start * (bottom_right - bottom_left),
            ],
            np.float32,
        )
