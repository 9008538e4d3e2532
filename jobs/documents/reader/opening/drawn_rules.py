"""Finds the rules that a PDF page draws, such as the lines of a table and the edges of its filled cells."""

import ctypes
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

import pypdfium2.raw as pdfium

from .page_objects import Matrix, matrix_of, page_objects, times

Segment = tuple[float, float, float, float]
"""The ends of a rule: x and y of one, x and y of the other, in page coordinates."""

MAX_OBJECTS = 20_000
"""The most objects of a page that are looked at. Maps and plots have more."""
MAX_SEGMENTS = 3_000
MAX_PATH_SEGMENTS = 400
"""The most segments of a path. Longer paths are drawings."""
STRAIGHT = 1.0
"""The largest difference between the ends of an upright or level line, in points."""
THIN = 3.0
"""The thickness of a filled rectangle that is a line, at most, in points."""
MIN_LENGTH = 3.0
_LEAST_SHADE = 250
"""The value of each color, of 255, from which on a filled area is white, as the paper is."""


def drawn_rules(page: Any) -> list[Segment]:
    """Return the level and upright lines of a page, those of filled areas and boxes too."""
    found = (
        segment
        for kind, each, outer in page_objects(page.raw, MAX_OBJECTS)
        if kind == pdfium.FPDF_PAGEOBJ_PATH
        for segment in _of_path(each, outer)
    )
    return list(islice(found, MAX_SEGMENTS))


def _of_path(path: Any, outer: Matrix) -> Iterator[Segment]:
    count = pdfium.FPDFPath_CountSegments(path)
    if not 2 <= count <= MAX_PATH_SEGMENTS:
        return
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if not pdfium.FPDFPath_GetDrawMode(path, fill, stroke):
        return
    is_filled, is_stroked = fill.value != pdfium.FPDF_FILLMODE_NONE, bool(stroke.value)
    if not is_stroked and (not is_filled or _is_paper(path)):
        return
    matrix = times(matrix_of(path), outer)
    for points in _subpaths(path, count, matrix):
        yield from _lines_of(points, is_stroked=is_stroked)


def _is_paper(path: Any) -> bool:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not pdfium.FPDFPageObj_GetFillColor(path, red, green, blue, alpha):
        return False
    return alpha.value == 0 or min(red.value, green.value, blue.value) >= _LEAST_SHADE


def _subpaths(path: Any, count: int, matrix: Matrix) -> Iterator[list[tuple[float, float]]]:
    """Yield the corners of each part of a path that has no curves."""
    a, b, c, d, e, f = matrix
    x, y = ctypes.c_float(), ctypes.c_float()
    points: list[tuple[float, float]] = []
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        if kind == pdfium.FPDF_SEGMENT_MOVETO and points:
            yield points
            points = []
        if kind == pdfium.FPDF_SEGMENT_BEZIERTO:
            return
        points.append((a * x.value + c * y.value + e, b * x.value + d * y.value + f))
        if pdfium.FPDFPathSegment_GetClose(segment):
            points.append(points[0])
    if points:
        yield points


def _lines_of(points: Sequence[tuple[float, float]], *, is_stroked: bool) -> Iterator[Segment]:
    across, down = [point[0] for point in points], [point[1] for point in points]
    left, right, low, high = min(across), max(across), min(down), max(down)
    width, height = right - left, high - low
    if min(width, height) <= (THIN if not is_stroked or len(points) > 2 else STRAIGHT):
        # A thin rectangle is one line.
        middle_x, middle_y = (left + right) / 2, (low + high) / 2
        if width >= max(height, MIN_LENGTH):
            yield left, middle_y, right, middle_y
        elif height >= MIN_LENGTH:
            yield middle_x, low, middle_x, high
        return
    if not is_stroked and len(points) not in {4, 5}:
        return
    ring = points if is_stroked else [*points, points[0]]
    for (ax, ay), (bx, by) in pairwise(ring):
        sides = abs(ax - bx), abs(ay - by)
        if min(sides) <= STRAIGHT and max(sides) >= MIN_LENGTH:
            yield ax, ay, bx, by
