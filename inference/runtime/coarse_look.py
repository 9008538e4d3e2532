"""The first look for lines: at the inked part of a page, on a small picture. It says where a closer look pays."""

from dataclasses import dataclass

import cv2
import numpy as np

from inference.core.contracts import Pixels
from inference.pictures.ink import Gray, ink_mask, small_picture
from inference.runtime.text_detection import Floats

COARSE_PIXELS = 650_000
"""The pixels of a whole page at the first look: 960 x 680 for A4. Print of 6 points is nine pixels high with them."""
MIN_COARSE_HEIGHT = 8.0
"""The height of a line's box at the first look below which print may have been missed."""
SMALL_SHARE = 0.1
"""The share of such lines from which the page is looked at closely."""
MARGIN = 0.02
"""The margin around the ink, as a share of the longer side."""
MIN_INK_IN_ROW = 2
"""The marks in a row or column of the small picture that are more than dust."""
LETTER_GAP, LINE_GAP = 13, 3
"""The distances across and down within which ink belongs to a line, on the small picture."""
MAX_MISSED = 0.02
"""The share of the ink that may lie in lines outside all boxes."""
LIKE_A_LINE = (0.45, 1.8)
"""The height of ink that may be a missed line, as multiples of the usual height of the lines that were found."""
MIN_LINE_ASPECT = 1.5
FILLED = (0.12, 0.75)
"""The share of ink in its box: print has more than a frame and less than a picture."""


@dataclass(frozen=True, slots=True)
class Inked:
    """The part of a page with ink on it."""

    left: int
    top: int
    right: int
    bottom: int
    mask: Gray
    """The ink of the whole page on a small picture."""
    scale: float
    """The pixels of the page for each pixel of the mask."""

    def cut(self, image: Pixels) -> Pixels:
        return image[self.top : self.bottom, self.left : self.right]

    def on_image(self, boxes: Floats) -> Floats:
        return boxes + np.array([self.left, self.top], np.float32) if len(boxes) else boxes


def inked_part(image: Pixels) -> Inked:
    height, width = image.shape[:2]
    small = small_picture(image)
    mask = ink_mask(small.gray)
    margin = MARGIN * max(height, width)
    across, down = (_reach(mask.sum(axis=axis, dtype=np.int64)) for axis in (0, 1))
    left, right = across[0] * small.scale - margin, across[1] * small.scale + margin
    top, bottom = down[0] * small.scale - margin, down[1] * small.scale + margin
    return Inked(
        max(0, int(left)), max(0, int(top)), min(width, int(right) + 1), min(height, int(bottom) + 1), mask, small.scale
    )


def _reach(counts: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> tuple[int, int]:
    """Return the first and the last row or column with ink, or all of them if there is none."""
    inked = np.flatnonzero(counts >= MIN_INK_IN_ROW)
    return (int(inked[0]), int(inked[-1]) + 1) if len(inked) else (0, len(counts))


def coarse_scale(image: Pixels) -> float:
    """Return the scale of the first look, at most 1."""
    height, width = image.shape[:2]
    return float(min(1.0, (COARSE_PIXELS / (height * width)) ** 0.5))


def needs_closer_look(boxes: Floats, inked: Inked, scale: float) -> bool:
    """Return whether print may have been missed: where lines are very low, or ink like a line is outside all boxes."""
    if not len(boxes):
        return bool(inked.mask.any())
    heights = np.minimum(
        np.linalg.norm(boxes[:, 0] - boxes[:, 3], axis=1), np.linalg.norm(boxes[:, 0] - boxes[:, 1], axis=1)
    )
    if (heights * scale < MIN_COARSE_HEIGHT).mean() > SMALL_SHARE:
        return True
    return _missed_share(boxes / inked.scale, inked.mask, float(np.median(heights)) / inked.scale) > MAX_MISSED


def _missed_share(boxes: Floats, mask: Gray, height: float) -> float:
    """Return the share of the ink in what looks like lines outside all boxes."""
    outside = mask.copy()
    for box in boxes:
        cv2.fillPoly(outside, [np.rint(box).astype(np.int32).reshape(-1, 1, 2)], 0)
    joined = cv2.dilate(outside, np.ones((LINE_GAP, LETTER_GAP), np.uint8))
    _, labels, bounds, _ = cv2.connectedComponentsWithStats(joined)
    ink = np.bincount(labels[outside > 0], minlength=len(bounds))
    widths = bounds[:, cv2.CC_STAT_WIDTH] - (LETTER_GAP - 1)
    heights = bounds[:, cv2.CC_STAT_HEIGHT] - (LINE_GAP - 1)
    filled = ink / np.maximum(widths * heights, 1)
    like_line = (
        (heights >= LIKE_A_LINE[0] * height)
        & (heights <= LIKE_A_LINE[1] * height)
        & (widths >= MIN_LINE_ASPECT * heights)
        & (filled >= FILLED[0])
        & (filled <= FILLED[1])
    )
    like_line[0] = False
    return float(ink[like_line].sum() / max(int(mask.sum()), 1))
