"""Finds tick boxes and radio buttons beside the text of an upright page, and whether they are ticked."""

import math
from collections.abc import Iterator, Sequence
from statistics import median

import cv2
import numpy as np

from inference.core.contracts import Pixels
from inference.layout.boxes import Box
from inference.marks.circles import alike, find_circles
from inference.marks.labels import MAX_GAP
from inference.marks.picture_box import LARGEST, PictureBox
from inference.marks.squares import find_squares

MAX_PIXELS = 12_000_000
"""The most pixels that are looked at. A larger picture is scaled down."""
SOFT = (3, 3)


def find_tick_boxes(image: Pixels, texts: Sequence[Box]) -> list[PictureBox]:
    """Return what looks like a tick box or a radio button and has a line of text beside it."""
    if not texts:
        return []
    height = median(min(box.width, box.height) for box in texts)
    scale = min(1.0, math.sqrt(MAX_PIXELS / max(1, image.shape[0] * image.shape[1])))
    squares, circles = list[PictureBox](), list[PictureBox]()
    for left, top, right, bottom in _parts(texts, height, image.shape[1], image.shape[0]):
        found = _find(image[top:bottom, left:right], height * scale, scale)
        squares += [_moved(square, scale, left, top) for square in found[0]]
        circles += [_moved(circle, scale, left, top) for circle in found[1]]
    squares = _with_full(squares)
    return [
        *squares,
        *(circle for circle in alike(circles) if not any(_same(circle.box, each.box) for each in squares)),
    ]


def _parts(texts: Sequence[Box], height: float, width: int, tall: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the parts of a page, one below the other, in which a box may stand on a row of text."""
    largest = LARGEST * height
    above, beside = largest, (MAX_GAP + 1.5) * largest
    parts: list[tuple[float, float, float, float]] = []
    for text in sorted(texts, key=lambda box: box.top):
        left, top, right, bottom = text.left - beside, text.top - above, text.right + beside, text.bottom + above
        if parts and top <= parts[-1][3]:
            last = parts.pop()
            left, top, right, bottom = min(left, last[0]), last[1], max(right, last[2]), max(bottom, last[3])
        parts.append((left, top, right, bottom))
    for left, top, right, bottom in parts:
        part = max(0, int(left)), max(0, int(top)), min(width, math.ceil(right)), min(tall, math.ceil(bottom))
        if part[0] < part[2] and part[1] < part[3]:
            yield part


def _find(image: Pixels, height: float, scale: float) -> tuple[list[PictureBox], list[PictureBox]]:
    """Return the squares and the circles on a part of a page."""
    gray = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2GRAY)
    if scale < 1:
        gray = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    around = max(15, 2 * int(height) + 1)
    soft = np.asarray(cv2.GaussianBlur(gray, SOFT, 0), np.uint8)
    paper = cv2.blur(soft, (around, around), borderType=cv2.BORDER_REPLICATE)
    darkness = np.asarray(cv2.subtract(paper, soft), np.uint8)
    return list(find_squares(soft, darkness, height)), list(find_circles(soft, darkness, height))


def _with_full(squares: Sequence[PictureBox]) -> list[PictureBox]:
    """Return squares without filled ones, unless open boxes of their size show that filling is how boxes are ticked."""
    heights = sorted(square.box.height for square in squares if not square.is_full)
    return [square for square in squares if not square.is_full or _has_near(heights, square.box.height)]


def _has_near(heights: Sequence[float], height: float) -> bool:
    return any(abs(other - height) <= 0.15 * height for other in heights[:200])


def _same(one: Box, other: Box) -> bool:
    x, y = (one.left + one.right) / 2, (one.top + one.bottom) / 2
    return other.left <= x <= other.right and other.top <= y <= other.bottom


def _moved(found: PictureBox, scale: float, left: int, top: int) -> PictureBox:
    box = found.box
    moved = Box(box.left / scale + left, box.top / scale + top, box.right / scale + left, box.bottom / scale + top)
    return PictureBox(moved, found.checked, found.is_full)
