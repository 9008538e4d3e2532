"""Finds the parts of a picture that may be codes: bars change in one direction, and squares of modules everywhere."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from PIL import Image, ImageChops

from .cells import Cell, Part, around, connected, marked_cells, without_overlap

CELL = 16
"""The side of the cells by which a picture is looked at, in pixels."""
_STEP = 2
"""The distance of the pixels that are compared. Narrow bars are two pixels wide."""
_ACROSS = 1.7
"""The changes across the bars, at least, as a multiple of those along them. Letters change in both directions."""
_MORE = 14
"""By how much the changes across are more than that, at least, of 255."""
_CHANGES, _CHANGES_EACH = 48, 12
"""The changes in a square of modules, at least, of 255: of both directions in sum, and of each."""
_DARKER = 60
"""How much darker than the paper the modules are as a whole, of 255. Letters have more white around them."""
_DARKER_BARS = 50
"""The same of bars, whose margins may be in the cells at the ends."""
_PAPER = 0.1
"""The share of the lightest cells, the darkest of which is the paper."""
_LEAST_ACROSS, _LEAST_ALONG = 4, 2
"""The cells of a code across and along its bars, at least. A line of a table crosses one or two."""
_LEAST_SIDE = 3
"""The cells at a side of a square, at least."""
_FILLED_BARS, _FILLED_SQUARE = 0.5, 0.7
_MARGIN = 2
"""The cells of white that are added at each side."""
MARGIN_PX = _MARGIN * CELL
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
    levels = whole.reduce(CELL)
    paper = sorted(levels.tobytes(), reverse=True)[int(_PAPER * levels.width * levels.height)]
    upright = _groups(_bar_cells(across, down), _are_bars)
    level = (_swapped(group) for group in _groups(set(_swapped(_bar_cells(down, across))), _are_bars))
    bars = [group for group in (*upright, *level) if _level_of(group, levels) <= paper - _DARKER_BARS]
    squares = list(_groups(_square_cells(across, down, levels, paper - _DARKER), _are_squares))
    return CodeParts(_parts(bars, gray), _parts(squares, gray))


def _level_of(group: list[Cell], levels: Image.Image) -> float:
    gray = levels.tobytes()
    return sum(gray[row * levels.width + column] for column, row in group) / len(group)


def _bar_cells(across: Image.Image, along: Image.Image) -> set[Cell]:
    """Return the cells with far more changes in one direction than in the other."""
    more = ImageChops.subtract(across, along.point([min(255, round(_ACROSS * level)) for level in range(256)]))
    return marked_cells((level >= _MORE for level in more.tobytes()), more.width)


def _square_cells(across: Image.Image, down: Image.Image, levels: Image.Image, dark: int) -> set[Cell]:
    changes = zip(across.tobytes(), down.tobytes(), levels.tobytes(), strict=True)
    marked = (
        level <= dark and one + other >= _CHANGES and min(one, other) >= _CHANGES_EACH for one, other, level in changes
    )
    return marked_cells(marked, levels.width)


def _swapped(cells: Iterable[Cell]) -> list[Cell]:
    return [(row, column) for column, row in cells]


def _groups(rest: set[Cell], is_code: Callable[[int, int, int], bool]) -> Iterator[list[Cell]]:
    """Yield the cells that hang together, if they may be a code by their columns, rows and number."""
    if len(rest) > _MAX_CELLS:
        return
    for group in connected(rest):
        columns, rows = zip(*group, strict=True)
        if is_code(max(columns) - min(columns) + 1, max(rows) - min(rows) + 1, len(group)):
            yield group


def _are_bars(across: int, along: int, count: int) -> bool:
    return across >= _LEAST_ACROSS and along >= _LEAST_ALONG and count >= _FILLED_BARS * across * along


def _are_squares(across: int, down: int, count: int) -> bool:
    return min(across, down) >= _LEAST_SIDE and count >= _FILLED_SQUARE * across * down


def _parts(groups: list[list[Cell]], gray: Image.Image) -> list[Part]:
    """Return the parts around groups. Some symbologies have bars at both ends only, so parts that overlap are one."""
    largest = sorted(groups, key=len, reverse=True)[: 2 * MAX_PARTS]
    return without_overlap(around(group, CELL, _MARGIN, gray.size) for group in largest)[:MAX_PARTS]
