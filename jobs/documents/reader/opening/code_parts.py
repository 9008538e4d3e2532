"""Finds the parts of a picture that may be codes: bars change in one direction, and squares of modules everywhere."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from PIL import Image, ImageChops

Part = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""
Cell = tuple[int, int]

CELL = 16
"""The side of the cells by which a picture is looked at, in pixels."""
_STEP = 2
"""The distance of the pixels that are compared. Narrow bars are two pixels wide."""
_ACROSS = 1.7
"""The changes across the bars, at least, as a multiple of those along them. Letters change in both directions."""
_MORE = 14
"""By how much the changes across are more than that, at least, of 255."""
_CHANGES = 24
"""The changes in both directions in a square of modules, at least, of 255."""
_DARKER = 60
"""How much darker than the paper the modules are as a whole, of 255. Letters have more white around them."""
_PAPER = 0.1
"""The share of the lightest cells, the darkest of which is the paper."""
_LEAST_ACROSS, _LEAST_ALONG = 4, 2
"""The cells of a code across and along its bars, at least. A line of a table crosses one or two."""
_LEAST_SIDE = 3
"""The cells at a side of a square, at least."""
_FILLED_BARS, _FILLED_SQUARE = 0.5, 0.7
_MARGIN = 2
"""The cells of white that are added at each side."""
MAX_PARTS = 12
"""The most parts of each sort."""
_MAX_CELLS = 20_000


@dataclass(frozen=True, slots=True)
class CodeParts:
    bars: list[Part]
    squares: list[Part]


def code_parts(gray: Image.Image) -> CodeParts:
    """Return the parts that may be codes, the largest first."""
    width, height = gray.width // CELL * CELL, gray.height // CELL * CELL
    if not width or not height:
        return CodeParts([], [])
    whole = gray.crop((0, 0, width, height))
    across, down = (
        ImageChops.difference(whole, gray.crop((x, y, width + x, height + y))).reduce(CELL)
        for x, y in ((_STEP, 0), (0, _STEP))
    )
    upright = list(_groups(_bar_cells(across, down), _are_bars))
    level = [_swapped(group) for group in _groups(set(_swapped(_bar_cells(down, across))), _are_bars)]
    squares = list(_groups(_square_cells(across, down, whole.reduce(CELL)), _are_squares))
    return CodeParts(_parts([*upright, *level], gray), _parts(squares, gray))


def _bar_cells(across: Image.Image, along: Image.Image) -> set[Cell]:
    """Return the cells with far more changes in one direction than in the other."""
    more = ImageChops.subtract(across, along.point([min(255, round(_ACROSS * level)) for level in range(256)]))
    return _places((level >= _MORE for level in more.tobytes()), more.width)


def _square_cells(across: Image.Image, down: Image.Image, levels: Image.Image) -> set[Cell]:
    dark = sorted(levels.tobytes(), reverse=True)[int(_PAPER * levels.width * levels.height)] - _DARKER
    both = zip(ImageChops.darker(across, down).tobytes(), levels.tobytes(), strict=True)
    return _places((changes >= _CHANGES and level <= dark for changes, level in both), levels.width)


def _places(marked: Iterable[bool], width: int) -> set[Cell]:
    return {(place % width, place // width) for place, is_marked in enumerate(marked) if is_marked}


def _swapped(cells: Iterable[Cell]) -> list[Cell]:
    return [(row, column) for column, row in cells]


def _groups(rest: set[Cell], is_code: Callable[[int, int, int], bool]) -> Iterator[list[Cell]]:
    """Yield the cells that hang together, if they may be a code by their columns, rows and number."""
    if len(rest) > _MAX_CELLS:
        return
    while rest:
        group, waiting = list[Cell](), [rest.pop()]
        while waiting:
            column, row = cell = waiting.pop()
            group.append(cell)
            near = {(column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1)} & rest
            rest -= near
            waiting += near
        columns, rows = zip(*group, strict=True)
        if is_code(max(columns) - min(columns) + 1, max(rows) - min(rows) + 1, len(group)):
            yield group


def _are_bars(across: int, along: int, count: int) -> bool:
    return across >= _LEAST_ACROSS and along >= _LEAST_ALONG and count >= _FILLED_BARS * across * along


def _are_squares(across: int, down: int, count: int) -> bool:
    return min(across, down) >= _LEAST_SIDE and count >= _FILLED_SQUARE * across * down


def _parts(groups: list[list[Cell]], gray: Image.Image) -> list[Part]:
    """Return the parts around groups. Some symbologies have bars at both ends only, so parts that overlap are one."""
    joined: list[Part] = []
    for part in (_around(group, gray) for group in sorted(groups, key=len, reverse=True)[: 2 * MAX_PARTS]):
        whole = part
        while (other := next((each for each in joined if _overlap(each, whole)), None)) is not None:
            joined.remove(other)
            (left, top), (right, bottom) = map(min, whole[:2], other[:2]), map(max, whole[2:], other[2:])
            whole = left, top, right, bottom
        joined.append(whole)
    return joined[:MAX_PARTS]


def _overlap(one: Part, other: Part) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _around(group: list[Cell], gray: Image.Image) -> Part:
    columns, rows = zip(*group, strict=True)
    return (
        max(0, (min(columns) - _MARGIN) * CELL),
        max(0, (min(rows) - _MARGIN) * CELL),
        min(gray.width, (max(columns) + 1 + _MARGIN) * CELL),
        min(gray.height, (max(rows) + 1 + _MARGIN) * CELL),
    )
