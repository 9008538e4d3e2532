"""Walks through the pictures and paths of a PDF page, those inside of forms too."""

from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium

Matrix = tuple[float, float, float, float, float, float]

FORM_DEPTH = 3
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_SHOWN = (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE)


def page_objects(page: Any, limit: int) -> Iterator[tuple[int, Any, Matrix]]:
    """Yield the kind of each picture and path, the object, and the matrix of the forms that it is in.

    At most `limit` objects of any kind are looked at.
    """
    top = _children(page, pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject)
    yield from _walk(top, IDENTITY, 0, [limit])


def matrix_of(each: Any) -> Matrix:
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(each, matrix):
        return IDENTITY
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def times(inner: Matrix, outer: Matrix) -> Matrix:
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


def _children(parent: Any, count: Any, get: Any) -> Iterator[Any]:
    for index in range(max(0, count(parent))):
        yield get(parent, index)


def _walk(objects: Iterator[Any], outer: Matrix, depth: int, left: list[int]) -> Iterator[tuple[int, Any, Matrix]]:
    for each in objects:
        left[0] -= 1
        if left[0] < 0:
            return
        kind = pdfium.FPDFPageObj_GetType(each)
        if kind in _SHOWN:
            yield kind, each, outer
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < FORM_DEPTH:
            inner = _children(each, pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject)
            yield from _walk(inner, times(matrix_of(each), outer), depth + 1, left)
