"""The directions in which lines of a page run, and the turn that makes most of its text upright."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inference.core.contracts import Point, Quad, TextLine

MIN_ANGLE = 0.3
"""The skew in degrees below which text is left as it lies."""
SAME_ANGLE = 1.0
"""The degrees around the skew of a page in which most of its text runs."""


@dataclass(frozen=True, slots=True)
class Turn:
    rotation: int
    """The degrees clockwise that the page is turned by: 0, 90, 180 or 270."""
    angle: float
    """The skew in degrees clockwise that is taken out after the turn."""


@dataclass(frozen=True, slots=True)
class _Direction:
    quarter: int
    """The number of quarter turns clockwise, from 0 to 3, that is nearest to the direction."""
    askew: float
    """The degrees clockwise beyond it."""
    chars: int


def direction_of(box: Quad) -> float:
    """Return the degrees clockwise from level in which a line runs, from -180 to 180."""
    (left, top), (right, other_top) = box[:2]
    return math.degrees(math.atan2(other_top - top, right - left))


def turn_of_lines(lines: Iterable[TextLine]) -> Turn:
    """Return the turn that makes most of the text upright, counted by its characters."""
    found = [_direction(line.box, line.text) for line in lines if line.box]
    quarters: Counter[int] = Counter()
    for direction in found:
        quarters[direction.quarter] += direction.chars
    half = quarters.total() / 2
    quarter = max(quarters, key=quarters.__getitem__, default=0)
    if quarters[quarter] <= half:
        return Turn(0, 0.0)
    angle = _common_angle([direction for direction in found if direction.quarter == quarter], half)
    return Turn(-90 * quarter % 360, angle)


def _direction(box: Quad, text: str) -> _Direction:
    degrees = direction_of(box)
    nearest = round(degrees / 90)
    return _Direction(nearest % 4, degrees - 90 * nearest, sum(not char.isspace() for char in text))


def _common_angle(directions: Sequence[_Direction], half: float) -> float:
    """Return the median skew if most text of the page shares it, else 0."""
    angle, left = 0.0, sum(direction.chars for direction in directions) / 2
    for direction in sorted(directions, key=lambda direction: direction.askew):
        angle, left = direction.askew, left - direction.chars
        if left <= 0:
            break
    alike = sum(direction.chars for direction in directions if abs(direction.askew - angle) <= SAME_ANGLE)
    return round(angle, 2) if abs(angle) >= MIN_ANGLE and alike > half else 0.0


def turned_around_origin(points: Iterable[Point], degrees: float) -> list[Point]:
    """Return points turned clockwise, as the page is seen."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [(x * cosine - y * sine, x * sine + y * cosine) for x, y in points]
