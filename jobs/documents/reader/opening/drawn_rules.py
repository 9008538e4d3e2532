"""Finds the rules that a PDF page draws, such as the lines of a table and the edges of its filled cells."""

import ctypes
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pypdfium2.raw as pdfium

Segment = tuple[float, float, float, float]
"""The ends of a rule: x and y of one, x and y of the other, in page coordinates."""
Matrix = tuple[float, float, float, float, float, float]

MAX_OBJECTS = 20_000
"""The most objects of a page that are looked at. Maps and plots have more."""
MAX_SEGMENTS = 3_000
MAX_PATH_SEGMENTS = 400
"""The most segments of a path. Longer paths are drawings."""
FORM_DEPTH = 3
STRAIGHT = 1.0
"""The largest difference between the ends of an upright or level line, in points."""
THIN = 3.0
"""The thickness of a filled rectangle that is a line, at most, in points."""
MIN_LENGTH = 3.0
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_LEAST_SHADE = 250
"""The value of each color, of 255, from which on a filled area is white, as the paper is."""


def drawn_rules(page: Any) -> list[Segment]:
    """Return the level and upright lines of a page, those of filled areas and boxes too."""
    found: list[Segment] = []
    seen = [0]
    for segment in _of_objects(
        _children(page.raw, pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject), IDENTITY, 0, seen
    ):
        found.append(segment)
        if len(found) == MAX_SEGMENTS:
            break
    return found


def _children(parent: Any, count: Any, get: Any) -> Iterator[Any]:
    for index in range(max(0, count(parent))):
        yield get(parent, index)


def _of_objects(objects: Iterator[Any], outer: Matrix, depth: int, seen: list[int]) -> Iterator[Segment]:
    for each in objects:
        seen[0] += 1
        if seen[0] > MAX_OBJECTS:
            return
        kind = pdfium.FPDFPageObj_GetType(each)
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            yield from _of_path(each, outer)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < FORM_DEPTH:
            inner = _children(each, pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject)
            yield from _of_objects(inner, _times(_matrix_of(each), outer), depth + 1, seen)


def _matrix_of(each: Any) -> Matrix:
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(each, matrix):
        return IDENTITY
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _times(inner: Matrix, outer: Matrix) -> Matrix:
    a, b, c, d, e, f = inner
    oa, ob, oc, od, oe, of = outer
    return (
        a * oa + b * oc,
        a * ob + b * od,
        c * oa + d * oc,
        c * ob + d * od,
        e * oa + f * oc + oe,
        e * ob + f * od + of,
    )


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
    matrix = _times(_matrix_of(path), outer)
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
