"""Parts of a picture as groups of cells, by which a picture is looked at coarsely."""

from collections.abc import Iterable, Iterator

Part = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""
Cell = tuple[int, int]
"""The column and row of a square of pixels."""


def marked_cells(marked: Iterable[bool], width: int) -> set[Cell]:
    """Return the cells that are marked, of all cells from left to right and from top to bottom."""
    return {(place % width, place // width) for place, is_marked in enumerate(marked) if is_marked}


def connected(rest: set[Cell]) -> Iterator[list[Cell]]:
    """Yield the cells that hang together, also by their corners, and take them out of the set."""
    while rest:
        group, waiting = list[Cell](), [rest.pop()]
        while waiting:
            column, row = cell = waiting.pop()
            group.append(cell)
            near = {(column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1)} & rest
            rest -= near
            waiting += near
        yield group


def around(group: Iterable[Cell], side: int, margin: int, size: tuple[int, int]) -> Part:
    """Return the part of a picture around cells of a side, and so many more on all sides, within its size."""
    columns, rows = zip(*group, strict=True)
    return (
        max(0, (min(columns) - margin) * side),
        max(0, (min(rows) - margin) * side),
        min(size[0], (max(columns) + 1 + margin) * side),
        min(size[1], (max(rows) + 1 + margin) * side),
    )


def without_overlap(parts: Iterable[Part]) -> list[Part]:
    """Return the parts, those that overlap as one around both."""
    joined: list[Part] = []
    for part in parts:
        whole = part
        while (other := next((each for each in joined if overlap(each, whole)), None)) is not None:
            joined.remove(other)
            (left, top), (right, bottom) = map(min, whole[:2], other[:2]), map(max, whole[2:], other[2:])
            whole = left, top, right, bottom
        joined.append(whole)
    return joined


def overlap(one: Part, other: Part) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def area(part: Part) -> int:
    return (part[2] - part[0]) * (part[3] - part[1])
