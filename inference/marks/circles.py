"""Finds radio buttons on a part of a picture, and whether they have a dot."""

import math
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from inference.layout.boxes import Box
from inference.marks.picture_box import LARGEST, LEAST_SIDE, MAX_CANDIDATES, SMALLEST, Mask, PictureBox, quantile

Place = tuple[int, int, int, int]
Floats = npt.NDArray[np.float64]

DARKER = 30
"""The difference of a ring from the paper around it, of 255."""
ROUND, ASPECT = 0.76, 1.14
FILLED = 0.87
"""The share of the square around a circle that it fills, at most. Squares fill more."""
ANGLES = 32
"""The directions in which a circle is looked at from its middle."""
RING, WHITE, CORE = 0.65, (0.4, 0.85), 0.3
"""Where the ring begins, where the white inside it is, and where a dot ends, as shares of the radius."""
PAPER = 0.85
"""The quantile of the gray levels that is paper."""
LEAST_CONTRAST = 25
LEAST_DARKNESS = 0.3
EVEN = 0.6
"""The darkness of the lightest part of a ring, as a share of its usual darkness. Letters such as C have gaps."""
MAX_WHITE, MAX_WHITE_AROUND_DOT = 0.5, 0.72
"""The darkness between ring and middle, as a share of that of the ring. A blurred dot runs into its ring."""
MOST = 0.95
"""The share of the directions in which it is so light at least."""
DOT = 0.6
"""The darkness of the middle of a circle that has a dot."""
BEYOND, BESIDE = 2, 0.16
MAX_BESIDE, MAX_CROSSED = 0.3, 1
"""The share of the band beside a circle that may be ink, and at how many of its sides there may be more."""


def find_circles(gray: Mask, darkness: Mask, height: float) -> Iterator[PictureBox]:
    """Yield circles by a softened picture, by how much darker it is than around, and by the height of the text."""
    least, most = max(LEAST_SIDE, SMALLEST * height), LARGEST * height
    ink = np.asarray(cv2.threshold(darkness, DARKER - 1, 1, cv2.THRESH_BINARY)[1], np.uint8)
    outlines, _ = cv2.findContours(ink, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    candidates = 0
    for outline in outlines:
        if len(outline) < 2 * least:
            continue
        left, top, width, tall = cv2.boundingRect(outline)
        if min(width, tall) < least or max(width, tall) > min(most, ASPECT * min(width, tall)):
            continue
        candidates += 1
        if candidates > MAX_CANDIDATES:
            return
        area, length = cv2.contourArea(outline), cv2.arcLength(outline, True)
        if 4 * math.pi * area < ROUND * length * length or area > FILLED * width * tall:
            continue
        if (
            _is_apart(ink, (left, top, width, tall))
            and (has_dot := _has_dot(gray, (left, top, width, tall))) is not None
        ):
            yield PictureBox(Box(float(left), float(top), float(left + width), float(top + tall)), has_dot)


def alike(circles: Sequence[PictureBox]) -> list[PictureBox]:
    """Return the circles of the size of those with a dot, if there are several. Others are letters, such as O."""
    sizes = {round(circle.box.height) + more for circle in circles if circle.checked for more in (-1, 0, 1)}
    found = [circle for circle in circles if round(circle.box.height) in sizes]
    return found if len(found) > 1 else []


def _is_apart(ink: Mask, place: Place) -> bool:
    left, top, width, tall = place
    band = max(3, round(BESIDE * min(width, tall)))
    sides = (
        ink[max(0, top - BEYOND - band) : max(0, top - BEYOND), left : left + width],
        ink[top + tall + BEYOND : top + tall + BEYOND + band, left : left + width],
        ink[top : top + tall, max(0, left - BEYOND - band) : max(0, left - BEYOND)],
        ink[top : top + tall, left + width + BEYOND : left + width + BEYOND + band],
    )
    crossed = [float(side.any(axis=int(side.shape[0] > side.shape[1])).mean()) for side in sides if side.size]
    return sum(share > MAX_BESIDE for share in crossed) <= MAX_CROSSED


def _has_dot(gray: Mask, place: Place) -> bool | None:
    """Return whether a ring has a dot in its middle, or None if there is no ring with white inside it."""
    left, top, width, tall = place
    radius = (width + tall) / 4
    margin = max(2, round(0.3 * radius))
    around = gray[max(0, top - margin) : top + tall + margin, max(0, left - margin) : left + width + margin]
    part = gray[top : top + tall, left : left + width]
    paper = quantile(around, PAPER)
    contrast = max(float(LEAST_CONTRAST), paper - quantile(part, 0.1))
    middle = left + (width - 1) / 2, top + (tall - 1) / 2
    steps = max(8, 2 * math.ceil(radius))
    polar = cv2.warpPolar(gray, (steps, ANGLES), middle, radius, cv2.INTER_LINEAR | cv2.WARP_POLAR_LINEAR)
    darkness = np.clip((paper - np.asarray(polar, np.float64)) / contrast, 0.0, 1.0)
    ring = darkness[:, round(RING * steps) :].max(axis=1)
    usual = quantile(ring, 0.5)
    if usual < LEAST_DARKNESS or float(ring.min()) < EVEN * usual:
        return None
    white = darkness[:, round(WHITE[0] * steps) : round(WHITE[1] * steps)].min(axis=1)
    has_dot = float(darkness[:, : round(CORE * steps)].mean()) >= DOT
    is_ring = quantile(white, MOST) <= (MAX_WHITE_AROUND_DOT if has_dot else MAX_WHITE) * usual
    return has_dot if is_ring else None
