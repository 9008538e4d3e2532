"""Finds the parts of a picture that have ink, so that blank paper is not searched."""

from PIL import Image, ImageChops, ImageFilter

from .cells import Part, area, around, connected, marked_cells, without_overlap

_FINE = 8
"""The side in pixels of the squares whose gray levels are compared. Noise of the paper is gone in their means."""
_NEAR = 4
"""How far around a square the paper is, in squares."""
_DIFFERENCE = 7
"""How much a square with ink differs from the mean around it, of 255, at least. Codes have far darker borders."""
_CELLS = 4
"""The side of a cell in squares."""
_MARGIN = 1
_LEAST_SIDE = 512
"""The least side of a part. The reader of codes looks at larger pictures at half the size too."""
_MAX_PARTS = 12
_WORTH = 0.7
"""The share of the picture from which on it is searched as a whole."""


def ink_parts(gray: Image.Image) -> list[Part]:
    """Return parts that do not overlap and hold all ink, or the whole picture if they are most of it."""
    whole = [(0, 0, gray.width, gray.height)]
    side = _FINE * _CELLS
    if gray.width < 2 * side or gray.height < 2 * side:
        return whole
    fine = gray.reduce(_FINE)
    edges = ImageChops.difference(fine, fine.filter(ImageFilter.BoxBlur(_NEAR)))
    inked = edges.point([255 * (level >= _DIFFERENCE) for level in range(256)]).reduce(_CELLS)
    cells = marked_cells((level > 0 for level in inked.tobytes()), inked.width)
    if len(cells) > _WORTH * inked.width * inked.height:
        return whole
    parts = without_overlap(_enlarged(around(group, side, _MARGIN, gray.size), gray.size) for group in connected(cells))
    is_worth = len(parts) <= _MAX_PARTS and sum(map(area, parts)) <= _WORTH * area(whole[0])
    return parts if is_worth else whole


def _enlarged(part: Part, size: tuple[int, int]) -> Part:
    left, right = _stretched(part[0], part[2], size[0])
    top, bottom = _stretched(part[1], part[3], size[1])
    return left, top, right, bottom


def _stretched(start: int, end: int, most: int) -> tuple[int, int]:
    start = max(0, min(start, (start + end - _LEAST_SIDE) // 2, most - _LEAST_SIDE))
    return start, min(most, max(end, start + _LEAST_SIDE))
