"""Finds tick boxes and radio buttons on the picture of an upright page, and whether they are ticked."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from inference.core.contracts import Pixels
from inference.layout.boxes import Box

Mask = npt.NDArray[np.uint8]
Place = tuple[int, int, int, int]
"""Left, top, width and height."""
Floats = npt.NDArray[np.float64]

SMALLEST, LARGEST = 0.5, 2.0
"""The side of a tick box, as a share of the height of a line of text."""
LEAST_SIDE = 11
"""The side below which nothing can be distinguished, in pixels."""
ASPECT = 1.3
DARKER, MUCH_DARKER = 10, 30
"""The difference of ink from the paper around it, of 255. Of a ring with a dot in it, only the core counts."""
BAND = 0.36
"""The part of the height and width in which the frame is looked for, from each side. A tick may reach beyond it."""
PAPER = 0.85
"""The quantile of the gray levels that is paper."""
LEAST_CONTRAST = 25
"""The difference from the paper, of 255, that is full ink at least."""
THICK = 0.12
"""The thickness of a side, as a share of the box."""
LEAST_DARKNESS = 0.3
EVEN = 0.75
"""The darkness of the lightest part of a line, as a share of its usual darkness."""
INK = 0.45
"""The darkness from which on a dot is ink."""
TICKED = 0.07
"""The share of the inside that is ink from which on a box is ticked."""
FULL = 0.9
"""The share of all of it from which on it is a filled square, as in front of list items."""
INSET = 0.22
BESIDE = 0.16
"""The width of the band around a box that is empty, as a share of its side. A long tick may cross it."""
MAX_BESIDE = 0.3
"""The share of the band at one side that may be ink. Letters of the same word fill more."""
MAX_CROSSED = 1
"""The number of sides at which the band may have more ink."""
SMALLEST_CIRCLE, ROUND, CIRCLE_ASPECT = 0.5, 0.76, 1.14
DOT = 0.6
"""The share of the middle of a circle that is ink where it has a dot."""
WHITE = 0.35
"""The share of a circle within its ring, at least."""
MAX_CANDIDATES = 2_000
MAX_PIXELS = 12_000_000
"""The most pixels that are looked at. A larger picture is scaled down."""


@dataclass(frozen=True, slots=True)
class PictureBox:
    box: Box
    checked: bool
    is_full: bool = False
    """It is set if the box is filled altogether, which only counts beside open boxes of its size."""


def find_tick_boxes(image: Pixels, text_height: float) -> list[PictureBox]:
    """Return what looks like a tick box or a radio button, by the height of the lines of text."""
    gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    scale = min(1.0, math.sqrt(MAX_PIXELS / max(1, gray.size)))
    if scale < 1:
        gray = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    height = text_height * scale
    around = max(15, 2 * int(height) + 1)
    soft = cv2.GaussianBlur(gray, (3, 3), 0)
    darkness = cv2.subtract(cv2.blur(soft, (around, around), borderType=cv2.BORDER_REPLICATE), soft)
    ink, core = (
        np.asarray(cv2.threshold(darkness, darker - 1, 1, cv2.THRESH_BINARY)[1], np.uint8)
        for darker in (DARKER, MUCH_DARKER)
    )
    squares = _with_full(list(_squares(ink, np.asarray(soft, np.uint8), height)))
    circles = _alike(list(_circles(core, height)))
    found = [*squares, *(circle for circle in circles if not any(_same(circle.box, each.box) for each in squares))]
    return [PictureBox(_scaled(each.box, 1 / scale), each.checked) for each in found]


def _squares(ink: Mask, gray: Mask, height: float) -> Iterator[PictureBox]:
    least, most = max(LEAST_SIDE, SMALLEST * height), LARGEST * height
    length = max(6, int(0.7 * least))
    level = cv2.morphologyEx(cv2.dilate(ink, _ones(3, 1)), cv2.MORPH_OPEN, _ones(1, length))
    upright = cv2.morphologyEx(cv2.dilate(ink, _ones(1, 3)), cv2.MORPH_OPEN, _ones(length, 1))
    outlines, levels = cv2.findContours(cv2.bitwise_or(level, upright), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    if not outlines:
        return
    parents = levels[0, :, 3].tolist()
    places = [cv2.boundingRect(outline) for outline, parent in zip(outlines, parents, strict=True) if parent < 0]
    candidates = [
        (left, top, wide, high)
        for left, top, wide, high in places
        if least <= min(wide, high) and max(wide, high) <= min(most, ASPECT * min(wide, high))
    ]
    for candidate in candidates[:MAX_CANDIDATES]:
        found = _square_at(ink, gray, candidate, least)
        if found is not None:
            yield found


def _ones(rows: int, columns: int) -> Mask:
    return np.ones((rows, columns), np.uint8)


def _square_at(ink: Mask, gray: Mask, place: Place, least: float) -> PictureBox | None:
    """Return the box whose frame is within this part, or None if it is a letter or a drawing."""
    left, top, width, height = place
    margin = max(2, min(width, height) // 3)
    around = gray[max(0, top - margin) : top + height + margin, max(0, left - margin) : left + width + margin]
    part = gray[top : top + height, left : left + width]
    paper = float(np.quantile(around, PAPER))
    darkness = np.clip((paper - part) / max(float(LEAST_CONTRAST), paper - float(np.quantile(part, 0.1))), 0.0, 1.0)
    upper, lower, first, last = _frame(darkness)
    wide, high = last - first + 1, lower - upper + 1
    if min(wide, high) < least or max(wide, high) > ASPECT * min(wide, high):
        return None
    rows, columns = darkness[:, first : last + 1], darkness[upper : lower + 1].T
    sides = (rows[upper:], rows[lower::-1], columns[first:], columns[last::-1])
    if not all(_is_even(_line(side)) for side in sides):
        return None
    if not _is_apart(ink, left + first, top + upper, wide, high):
        return None
    inset = max(2, round(INSET * min(wide, high)))
    inner = darkness[upper + inset : lower + 1 - inset, first + inset : last + 1 - inset] >= INK
    whole = darkness[upper : lower + 1, first : last + 1] >= INK
    box = Box(float(left + first), float(top + upper), float(left + last + 1), float(top + lower + 1))
    return PictureBox(box, bool(inner.size and inner.mean() >= TICKED), is_full=bool(whole.mean() >= FULL))


def _frame(darkness: Floats) -> tuple[int, int, int, int]:
    """Return the first and last row, and the first and last column, of a frame."""
    rows, columns = darkness.mean(axis=1), darkness.mean(axis=0)
    deep, wide = max(2, round(BAND * len(rows))), max(2, round(BAND * len(columns)))
    return (
        _outer(rows[:deep]),
        len(rows) - 1 - _outer(rows[: -deep - 1 : -1]),
        _outer(columns[:wide]),
        len(columns) - 1 - _outer(columns[: -wide - 1 : -1]),
    )


def _outer(band: Floats) -> int:
    """Return the outermost line of a band. What is inside a box may be darker than a thin frame."""
    return int((band >= 0.55 * band.max()).argmax())


def _line(rows: Floats) -> Floats:
    """Return the darkness along the first rows. Print is never quite level, so the darkest of them counts."""
    near = rows[: max(2, round(THICK * len(rows)))].max(axis=0)
    return np.asarray(np.convolve(near, np.ones(3) / 3, "valid"), np.float64)


def _is_even(line: Floats) -> bool:
    """Return whether a line has ink from end to end. At letters, it is light at the corners."""
    usual = float(np.median(line))
    return usual >= LEAST_DARKNESS and float(line.min()) >= EVEN * usual


def _is_apart(ink: Mask, left: int, top: int, width: int, height: int) -> bool:
    band = max(3, round(BESIDE * min(width, height)))
    beyond = 2
    sides = (
        ink[max(0, top - beyond - band) : max(0, top - beyond), left : left + width],
        ink[top + height + beyond : top + height + beyond + band, left : left + width],
        ink[top : top + height, max(0, left - beyond - band) : max(0, left - beyond)],
        ink[top : top + height, left + width + beyond : left + width + beyond + band],
    )
    crossed = [float(side.any(axis=int(side.shape[0] > side.shape[1])).mean()) for side in sides if side.size]
    return sum(share > MAX_BESIDE for share in crossed) <= MAX_CROSSED


def _circles(ink: Mask, height: float) -> Iterator[PictureBox]:
    least, most = max(LEAST_SIDE, SMALLEST_CIRCLE * height), LARGEST * height
    contours, hierarchy = cv2.findContours(ink, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    if hierarchy is None:
        return
    count = 0
    for contour, (_, _, first_hole, parent) in zip(contours, hierarchy[0].tolist(), strict=True):
        if parent >= 0 or first_hole < 0 or len(contour) < 2 * least:
            continue
        left, top, width, tall = cv2.boundingRect(contour)
        if min(width, tall) < least or max(width, tall) > min(most, CIRCLE_ASPECT * min(width, tall)):
            continue
        count += 1
        if count > MAX_CANDIDATES:
            return
        area, length = cv2.contourArea(contour), cv2.arcLength(contour, True)
        if 4 * math.pi * area < ROUND * length * length or area > 0.87 * width * tall:
            continue
        if not _is_apart(ink, left, top, width, tall):
            continue
        third = max(1, round(min(width, tall) * 0.36))
        middle = ink[top + third : top + tall - third, left + third : left + width - third]
        has_dot = bool(middle.size and middle.mean() >= DOT)
        if cv2.contourArea(contours[first_hole]) < WHITE * area:
            continue
        yield PictureBox(Box(float(left), float(top), float(left + width), float(top + tall)), has_dot)


def _alike(circles: Sequence[PictureBox]) -> list[PictureBox]:
    """Return the circles of the size of those with a dot, if there are several. Others are letters, such as O."""
    sizes = {round(circle.box.height) + more for circle in circles if circle.checked for more in (-1, 0, 1)}
    alike = [circle for circle in circles if round(circle.box.height) in sizes]
    return alike if len(alike) > 1 else []


def _with_full(squares: Sequence[PictureBox]) -> list[PictureBox]:
    """Return squares without filled ones, unless open boxes of their size show that filling is how boxes are ticked."""
    heights = sorted(square.box.height for square in squares if not square.is_full)
    return [square for square in squares if not square.is_full or _has_near(heights, square.box.height)]


def _has_near(heights: Sequence[float], height: float) -> bool:
    return any(abs(other - height) <= 0.15 * height for other in heights[:200])


def _same(one: Box, other: Box) -> bool:
    x, y = (one.left + one.right) / 2, (one.top + one.bottom) / 2
    return other.left <= x <= other.right and other.top <= y <= other.bottom


def _scaled(box: Box, scale: float) -> Box:
    return Box(box.left * scale, box.top * scale, box.right * scale, box.bottom * scale)
