"""Operations on pages that have text of their own beside scanned parts."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np

from inference.core.contracts import Json, PageInput, Pixels, Quad, TextLine
from inference.layout.boxes import Box
from inference.pipelines.operations.operation import POSTPROCESS, PREPROCESS, Operation, always
from inference.pipelines.operations.values import LINES, PAGE, Value, lines_of

WHITE = 255
MARGIN = 0.15
"""The margin around a line of the page's own text that is whitened too, as a share of its height."""
SAME = 0.5
"""The share of a recognized line under lines of the page's own text from which on it is the same text."""

Values = Mapping[str, Value]
Settings = Mapping[str, Json]


def _scanned_parts(inputs: Values, settings: Settings) -> Value:
    """Return a page whose picture is white except on the scanned parts, and there where the page has own text."""
    page: PageInput = inputs["page"]
    load = page.load_pixels
    if load is None:
        return page
    boxes = [line.box for line in lines_of(page) if line.box]
    return PageInput(page.number, page.width_px, page.height_px, None, cache(lambda: _only(load(), page, boxes)))


def _only(pixels: Pixels, page: PageInput, own: Iterable[Quad]) -> Pixels:
    shown = np.full_like(pixels, WHITE)
    for left, top, right, bottom in page.scans:
        part = _pixels_of(Box(left, top, right, bottom))
        shown[part] = pixels[part]
    for corners in own:
        box = Box.of_corners(corners)
        margin = MARGIN * min(box.height, box.width)
        around = Box(box.left - margin, box.top - margin, box.right + margin, box.bottom + margin)
        shown[_pixels_of(around)] = WHITE
    return shown


def _pixels_of(box: Box) -> tuple[slice, slice]:
    left, top, right, bottom = (max(0, round(side)) for side in (box.left, box.top, box.right, box.bottom))
    return slice(top, bottom), slice(left, right)


def _join_lines(inputs: Values, settings: Settings) -> Value:
    """Return the lines, and those of the others that are not the same text once more."""
    lines: Sequence[TextLine] = inputs["lines"]
    boxes = [Box.of_corners(line.box) for line in lines if line.box]
    return (*lines, *(other for other in inputs["others"] if not _is_there(other, boxes)))


def _is_there(line: TextLine, boxes: Iterable[Box]) -> bool:
    if line.box is None:
        return False
    box = Box.of_corners(line.box)
    return sum(_shared(box, other) for other in boxes) >= SAME * box.width * box.height


def _shared(one: Box, other: Box) -> float:
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    return max(0.0, across) * max(0.0, down)


SCANNED_PARTS = Operation(
    "scanned_parts",
    PREPROCESS,
    gives=always(PAGE),
    run=_scanned_parts,
    takes={"page": PAGE},
    looks_at_picture=True,
)

JOIN_LINES = Operation(
    "join_lines", POSTPROCESS, gives=always(LINES), run=_join_lines, takes={"lines": LINES, "others": LINES}
)
