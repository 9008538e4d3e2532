"""Tables whose cells are drawn: the grids that level and upright rules form where they meet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inference.layout.boxes import Box
from inference.tables.rules import Rule, Rules

REACH = 0.5
"""The distance at which two rules meet, at most, as a multiple of a line's height."""
WALL = 0.6
"""The share of the side of a cell along which a rule is a wall."""
MIN_SIDE = 0.4
"""The distance between two rules of a grid, at least. Closer ones are a double rule."""
MAX_RULES = 600
"""The most rules of a grid. It bounds the time that strange pages take."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cell of a grid: its first row and column, and the ones behind its last."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class Lattice:
    across: tuple[float, ...]
    """The sides of the columns, from left to right."""
    down: tuple[float, ...]
    """The sides of the rows, from top to bottom."""
    places: tuple[Place, ...]

    @property
    def box(self) -> Box:
        return Box(self.across[0], self.down[0], self.across[-1], self.down[-1])

    def box_of(self, place: Place) -> Box:
        return Box(self.across[place.left], self.down[place.top], self.across[place.right], self.down[place.bottom])


def find_lattices(rules: Rules, height: float) -> list[Lattice]:
    """Return the grids of a page, from top to bottom."""
    found = (_lattice(level, upright, height) for level, upright in _components(rules, REACH * height))
    return sorted((each for each in found if each is not None), key=lambda each: each.box.top)


def _components(rules: Rules, reach: float) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Yield the rules that hang together."""
    level, upright = rules.level, rules.upright
    if not upright or not level or len(level) + len(upright) > 4 * MAX_RULES:
        return
    parent = list(range(len(level) + len(upright)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for number, bar in enumerate(level):
        for other, post in enumerate(upright, len(level)):
            if _meet(bar, post, reach):
                parent[root(number)] = root(other)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for number, rule in enumerate((*level, *upright)):
        groups.setdefault(root(number), ([], []))[number >= len(level)].append(rule)
    yield from (group for group in groups.values() if group[0] and group[1])


def _meet(bar: Rule, post: Rule, reach: float) -> bool:
    return bar.start - reach <= post.at <= bar.end + reach and post.start - reach <= bar.at <= post.end + reach


def _lattice(level: Sequence[Rule], upright: Sequence[Rule], height: float) -> Lattice | None:
    if len(level) + len(upright) > MAX_RULES:
        return None
    least, reach = MIN_SIDE * height, REACH * height
    across, down = _sides(upright, level, least, reach), _sides(level, upright, least, reach)
    if len(across) < 2 or len(down) < 2:
        return None
    places = tuple(_places(across, down, level, upright, reach))
    return Lattice(tuple(across), tuple(down), places)


def _sides(rules: Sequence[Rule], crossing: Sequence[Rule], least: float, reach: float) -> list[float]:
    """Return the sides of cells: the rules themselves, and the ends of those across if no rule closes the table."""
    start, end = min(rule.start for rule in crossing), max(rule.end for rule in crossing)
    sides = sorted(rule.at for rule in rules)
    if start < sides[0] - max(reach, 2 * least):
        sides.insert(0, start)
    if end > sides[-1] + max(reach, 2 * least):
        sides.append(end)
    kept: list[list[float]] = []
    for side in sides:
        if kept and side - kept[-1][-1] < least:
            kept[-1].append(side)
        else:
            kept.append([side])
    return [sum(each) / len(each) for each in kept]


def _places(
    across: Sequence[float], down: Sequence[float], level: Sequence[Rule], upright: Sequence[Rule], reach: float
) -> Iterator[Place]:
    """Yield the cells: neighbors in the grid without a wall between them are one."""
    rows, columns = len(down) - 1, len(across) - 1
    open_right = [
        [not _wall(upright, across[column + 1], down[row], down[row + 1], reach) for column in range(columns - 1)]
        for row in range(rows)
    ]
    open_below = [
        [not _wall(level, down[row + 1], across[column], across[column + 1], reach) for column in range(columns)]
        for row in range(rows - 1)
    ]
    taken = [[False] * columns for _ in range(rows)]
    for row in range(rows):
        for column in range(columns):
            if taken[row][column]:
                continue
            right = column + 1
            while right < columns and open_right[row][right - 1] and not taken[row][right]:
                right += 1
            bottom = row + 1
            while (
                bottom < rows
                and all(open_below[bottom - 1][each] and not taken[bottom][each] for each in range(column, right))
                and all(open_right[bottom][each] for each in range(column, right - 1))
            ):
                bottom += 1
            for each in range(row, bottom):
                taken[each][column:right] = [True] * (right - column)
            yield Place(row, column, bottom, right)


def _wall(rules: Sequence[Rule], at: float, start: float, end: float, reach: float) -> bool:
    near = [rule for rule in rules if abs(rule.at - at) <= reach]
    return sum(rule.covers(start, end) for rule in near) >= WALL
