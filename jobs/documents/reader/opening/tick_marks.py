"""Decides whether a small drawn shape is a tick box, and whether it is ticked, by how it looks."""

from PIL import Image

GRID = 24
"""The side of the copy that is looked at, in pixels."""
_EDGE = 4
"""The width of the band at each side in which the frame is."""
_INNER = 6
_FRAME = 0.7
"""The share of each side, at least, along which the frame is."""
_TICKED = 0.06
"""The share of the inside with ink from which on it is ticked. Empty boxes have none, and a thin tick has 0.1."""
_FULL = 0.9
"""The share of all of it from which on it is a filled square, as in front of list items."""
_DARKER = 70
"""The difference of ink from the paper, of 255."""

EMPTY_SIGNS = frozenset("\u2610\u25a1\u25a2\u25fb\u2b1c\u274f\u2750\u2751\u2752\uf0a8\uf06f\uf071\uf072")
TICKED_SIGNS = frozenset("\u2611\u2612\u2705\u274e\U0001f5f9\U0001f5f7\U0001f5f5\uf0fe\uf0fd")
"""Characters that are tick boxes. Those from U+F000 on are of the font Wingdings."""
TICKS = frozenset("\u2713\u2714\u2717\u2718\u2715\u2716\uf0fc\uf0fb")
"""Characters that stand on or in a tick box. By themselves they are no box."""


def tick_of(picture: Image.Image) -> bool | None:
    """Return whether the box that fills a gray picture is ticked, or None if it is no box."""
    small = picture.resize((GRID, GRID), Image.Resampling.BOX)
    levels = small.tobytes()
    paper = sorted(levels)[int(0.9 * len(levels))]
    dark = [[levels[GRID * row + column] < paper - _DARKER for column in range(GRID)] for row in range(GRID)]
    sideways = [list(column) for column in zip(*dark, strict=True)]
    if not all(_has_side(rows) for rows in (dark, dark[::-1], sideways, sideways[::-1])):
        return None
    inner = [dark[row][column] for row in range(_INNER, GRID - _INNER) for column in range(_INNER, GRID - _INNER)]
    if sum(map(sum, dark)) >= _FULL * GRID * GRID:
        return None
    return sum(inner) >= _TICKED * len(inner)


def _has_side(rows: list[list[bool]]) -> bool:
    """Return whether ink is along the first rows. A circle has it in the middle, farther from its corners."""
    band = rows[:_EDGE]
    along = [any(row[column] for row in band) for column in range(3, GRID - 3)]
    return sum(along) >= _FRAME * len(along)
