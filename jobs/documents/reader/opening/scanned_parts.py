"""Finds the pictures on a page with text of its own that show more than this text, such as a scanned table."""

import math
from collections.abc import Iterable, Sequence

from PIL import Image, ImageChops, ImageDraw, ImageFilter

Box = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels of the drawn page."""
Corners = Sequence[tuple[float, float]]
"""The corners of a line of text, clockwise from the top left as it is read."""

_LEAST_AREA = 0.02
"""The share of the page that a picture covers beside the text, at least. Smaller ones are logos and stamps."""
_BACKGROUND = 0.85
"""The share of the page from which on a picture is its background: a scan under its recognized text, or paper."""
_LEAST_INK, _LEAST_INK_OF_BACKGROUND = 0.003, 0.02
"""The shares of the page with ink beside the text. The text of a scan never covers all specks and rules."""
_MARGIN = 0.4
"""The margin around a line of text that counts as covered, as a share of its height."""
_LONGEST_SIDE = 600
"""The longest side in pixels of the copies of the page that areas are measured on."""
_EDGE = 60
"""The difference between neighboring pixels that ink makes, of 255. Photographs and paper mostly make less."""
_CELL = 4
"""The side of the cells that have ink or have none, in pixels of the copy."""


def beside_text(pictures: Iterable[Box], lines: Sequence[Corners], size: tuple[int, int]) -> list[Box]:
    """Return the pictures of which a noticeable part lies beside the lines. This needs no drawing."""
    width, height = size
    inside = [_inside(picture, width, height) for picture in pictures]
    large = [box for box in inside if _area(box) >= _LEAST_AREA * width * height]
    return [box for box in large if _share(_mask([box], lines, size)) >= _LEAST_AREA]


def scanned_parts(drawn: Image.Image, pictures: Iterable[Box], lines: Sequence[Corners]) -> list[Box]:
    """Return those pictures that show ink beside the lines."""
    copy = drawn.convert("L").resize(_copy_size(drawn.size), Image.Resampling.BOX)
    edges = ImageChops.subtract(copy.filter(ImageFilter.MaxFilter(3)), copy.filter(ImageFilter.MinFilter(3)))
    ink = edges.point(lambda value: 255 if value >= _EDGE else 0)
    return [box for box in pictures if _has_ink(ink, box, lines, drawn.size)]


def _has_ink(ink: Image.Image, picture: Box, lines: Sequence[Corners], size: tuple[int, int]) -> bool:
    beside = ImageChops.multiply(ink, _mask([picture], lines, size))
    cells = beside.reduce(_CELL).point(lambda value: 255 if value else 0)
    is_background = _area(picture) >= _BACKGROUND * size[0] * size[1]
    return _share(cells) >= (_LEAST_INK_OF_BACKGROUND if is_background else _LEAST_INK)


def _mask(pictures: Sequence[Box], lines: Sequence[Corners], size: tuple[int, int]) -> Image.Image:
    """Return a small copy of the page that is white on the pictures, except where a line of text is."""
    mask = Image.new("L", _copy_size(size), 0)
    draw = ImageDraw.Draw(mask)
    scale = mask.width / size[0], mask.height / size[1]
    for picture in pictures:
        draw.rectangle(_scaled(picture, scale), 255)
    for corners in lines:
        draw.polygon([(x * scale[0], y * scale[1]) for x, y in _widened(corners)], 0)
    return mask


def _widened(corners: Corners) -> list[tuple[float, float]]:
    """Return the corners of a line with a margin around it."""
    top_left, top_right, bottom_right, bottom_left = corners
    width, height = max(math.dist(top_left, top_right), 1e-6), max(math.dist(top_left, bottom_left), 1e-6)
    margin = _MARGIN * min(width, height)
    along = [margin * (end - start) / width for start, end in zip(top_left, top_right, strict=True)]
    down = [margin * (end - start) / height for start, end in zip(top_left, bottom_left, strict=True)]
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return [
        (x + across * along[0] + below * down[0], y + across * along[1] + below * down[1])
        for (x, y), (across, below) in zip((top_left, top_right, bottom_right, bottom_left), signs, strict=True)
    ]


def _copy_size(size: tuple[int, int]) -> tuple[int, int]:
    factor = min(1.0, _LONGEST_SIDE / max(size))
    return max(1, round(size[0] * factor)), max(1, round(size[1] * factor))


def _scaled(box: Box, scale: tuple[float, float]) -> Box:
    left, top, right, bottom = box
    across, down = left * scale[0], top * scale[1]
    return across, down, max(across, right * scale[0] - 1), max(down, bottom * scale[1] - 1)


def _share(mask: Image.Image) -> float:
    return mask.histogram()[255] / math.prod(mask.size)


def _inside(box: Box, width: int, height: int) -> Box:
    left, top, right, bottom = box
    return max(0.0, left), max(0.0, top), min(float(width), right), min(float(height), bottom)


def _area(box: Box) -> float:
    left, top, right, bottom = box
    return max(0.0, right - left) * max(0.0, bottom - top)
