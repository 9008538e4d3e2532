"""Finds the places of a PDF page that may show a code or a tick box, by what is drawn there, without drawing it."""

import ctypes
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium

from .page_objects import IDENTITY, Matrix, page_objects

Sides = tuple[float, float, float, float]
"""Left, bottom, right and top in coordinates of the page."""

MAX_OBJECTS = 10_000
"""The most objects of a page that are looked at. Maps and plots have more."""

_TICK_SIDE = 5.0, 26.0
"""The shortest and longest side of a tick box in points."""
_SQUARE = 1.2
"""The longer side of a tick box at most, in shorter ones."""
_MAX_TICK_SEGMENTS = 26
"""The most segments of the outline of a tick box: a ring of two rounded squares."""
_MAX_CIRCLE_SEGMENTS = 200
"""The most segments of the outline of a circle. Browsers draw a ring as 32 curves, each of three segments."""
_CIRCLE_POINTS = 24
"""The points of an outline that tell whether it is a circle."""
_INNERMOST = 0.6
"""The inner radius of a ring, at least, as a share of the outer one."""
MAX_TICK_BOXES = 500

_BAR_WIDTH = 9.0
"""The largest width of a bar or module of a code, in points."""
_BAR_LENGTH = 150.0
_MAX_BAR_SEGMENTS = 6
"""The most segments of a bar. Letters that are drawn as outlines have more."""
_CELL = 24.0
"""The side of the cells in which bars are counted, in points."""
_LEAST_BARS, _LEAST_BARS_OF_CELL = 16, 3
_LEAST_OUTLINE = 40
"""The least segments of a code that is drawn as one path."""
_LEAST_SIDE = 12.0
"""The shortest side of a picture that may show a code, in points."""
_MARGIN = 6.0
"""The white around a code that reading it needs, in points."""
MAX_CODE_PLACES = 24
_MAX_JOINED = 200
"""The most places that are joined where they overlap: the largest ones."""


@dataclass(slots=True)
class DrawnPlaces:
    tick_boxes: list[Sides] = field(default_factory=list)
    """Squares and circles that may be tick boxes."""
    codes: list[Sides] = field(default_factory=list)
    """Places that may show codes."""


def drawn_places(page: Any) -> DrawnPlaces:
    """Return the places of a page. The time is bounded by the number of objects that are looked at."""
    found = DrawnPlaces()
    bars: list[Sides] = []
    for kind, each, outer in page_objects(page, MAX_OBJECTS):
        if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            sides = _bounds(each, outer)
            if sides is not None and min(sides[2] - sides[0], sides[3] - sides[1]) >= _LEAST_SIDE:
                found.codes.append(sides)
        else:
            _look_at_path(each, outer, found, bars)
    found.codes = joined([*found.codes, *dense(bars)])[:MAX_CODE_PLACES]
    found.tick_boxes = found.tick_boxes[:MAX_TICK_BOXES]
    return found


def _look_at_path(path: Any, outer: Matrix, found: DrawnPlaces, bars: list[Sides]) -> None:
    sides = _bounds(path, outer)
    if sides is None:
        return
    width, height = sides[2] - sides[0], sides[3] - sides[1]
    short, long = min(width, height), max(width, height)
    if _TICK_SIDE[0] <= short and long <= min(_TICK_SIDE[1], _SQUARE * short):
        segments = pdfium.FPDFPath_CountSegments(path)
        is_shape = 4 <= segments <= _MAX_TICK_SEGMENTS or _is_circle(path, segments)
        if is_shape and len(found.tick_boxes) < 4 * MAX_TICK_BOXES:
            found.tick_boxes.append(_outline(path, sides))
    if short <= _BAR_WIDTH and 0 < long <= _BAR_LENGTH:
        if pdfium.FPDFPath_CountSegments(path) <= _MAX_BAR_SEGMENTS:
            bars.append(sides)
    elif short >= _LEAST_SIDE and pdfium.FPDFPath_CountSegments(path) >= _LEAST_OUTLINE and _is_angular(path):
        found.codes.append(sides)


def _outline(path: Any, sides: Sides) -> Sides:
    """Return the outer edge of a path. PDFium counts the whole width of a stroke to its bounds, not half of it."""
    fill, stroke, width = ctypes.c_int(), ctypes.c_int(), ctypes.c_float()
    pdfium.FPDFPath_GetDrawMode(path, fill, stroke)
    if not stroke.value or not pdfium.FPDFPageObj_GetStrokeWidth(path, width):
        return sides
    left, bottom, right, top = sides
    more = min(max(0.0, width.value), (right - left) / 4) / 2
    return left + more, bottom + more, right - more, top - more


def _is_circle(path: Any, segments: int) -> bool:
    """Return whether a path of many curves goes around a middle that it keeps away from."""
    if not _MAX_TICK_SEGMENTS < segments <= _MAX_CIRCLE_SEGMENTS:
        return False
    xs, ys = [], []
    for index in range(0, segments, max(1, segments // _CIRCLE_POINTS)):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        x, y = ctypes.c_float(), ctypes.c_float()
        if pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_LINETO:
            return False
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        xs.append(x.value)
        ys.append(y.value)
    middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    radii = [math.dist(middle, point) for point in zip(xs, ys, strict=True)]
    return min(radii) >= _INNERMOST * max(radii)


def _is_angular(path: Any) -> bool:
    """Return whether a path is filled and begins with straight lines. Letters and drawings have curves."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, fill, stroke)
    if fill.value == pdfium.FPDF_FILLMODE_NONE and not stroke.value:
        return False
    kinds = (
        pdfium.FPDFPathSegment_GetType(pdfium.FPDFPath_GetPathSegment(path, index)) for index in range(_LEAST_OUTLINE)
    )
    return pdfium.FPDF_SEGMENT_BEZIERTO not in kinds


def dense(bars: Sequence[Sides]) -> list[Sides]:
    """Return the parts of the page where many bars are together."""
    cells: Counter[tuple[int, int]] = Counter()
    for left, bottom, right, top in bars:
        column = math.floor((left + right) / 2 / _CELL)
        for row in range(math.floor(bottom / _CELL), math.floor(top / _CELL) + 1):
            cells[column, row] += 1
    rest = {cell for cell, count in cells.items() if count >= _LEAST_BARS_OF_CELL}
    found = []
    while rest:
        group, waiting = [], [rest.pop()]
        while waiting:
            column, row = cell = waiting.pop()
            group.append(cell)
            near = {(column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1)} & rest
            rest -= near
            waiting += near
        if sum(cells[cell] for cell in group) >= _LEAST_BARS:
            columns, rows = [column for column, _ in group], [row for _, row in group]
            found.append(
                (
                    (min(columns) - 1) * _CELL,
                    (min(rows) - 1) * _CELL,
                    (max(columns) + 2) * _CELL,
                    (max(rows) + 2) * _CELL,
                )
            )
    return found


def joined(places: Iterable[Sides]) -> list[Sides]:
    """Return places with a margin, those that overlap as one. The largest come first."""
    groups: list[Sides] = []
    waiting = [
        (left - _MARGIN, bottom - _MARGIN, right + _MARGIN, top + _MARGIN)
        for left, bottom, right, top in sorted(places, key=_area, reverse=True)[:_MAX_JOINED]
    ]
    for place in waiting:
        whole = place
        while (other := next((each for each in groups if _overlap(each, whole)), None)) is not None:
            groups.remove(other)
            whole = (
                min(whole[0], other[0]),
                min(whole[1], other[1]),
                max(whole[2], other[2]),
                max(whole[3], other[3]),
            )
        groups.append(whole)
    return sorted(groups, key=_area, reverse=True)


def _area(sides: Sides) -> float:
    return (sides[2] - sides[0]) * (sides[3] - sides[1])


def _overlap(one: Sides, other: Sides) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _bounds(each: Any, outer: Matrix) -> Sides | None:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not pdfium.FPDFPageObj_GetBounds(each, left, bottom, right, top):
        return None
    sides = left.value, bottom.value, right.value, top.value
    if outer is not IDENTITY:
        a, b, c, d, e, f = outer
        corners = [(x, y) for x in (sides[0], sides[2]) for y in (sides[1], sides[3])]
        across = [a * x + c * y + e for x, y in corners]
        up = [b * x + d * y + f for x, y in corners]
        sides = min(across), min(up), max(across), max(up)
    return sides if all(math.isfinite(side) and abs(side) < 1e6 for side in sides) else None
