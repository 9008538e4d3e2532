"""Reads from a page's result how its stored picture was turned before it was read. This module is pure.

An added model may return anything under these names. A result with a value of a wrong type counts as not turned.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

Corner = tuple[float, float]
Corners = tuple[Corner, Corner, Corner, Corner]
ROTATIONS = (0, 90, 180, 270)
MAX_ANGLE = 45.0
"""The largest skew in degrees. A picture that lies more askew is turned by a right angle first."""


@dataclass(frozen=True, slots=True)
class Turn:
    rotation: int = 0
    """The degrees clockwise that the picture is turned by."""
    angle: float = 0.0
    sheet: Corners | None = None
    """The corners of the photographed sheet in the stored picture."""

    @property
    def key(self) -> str:
        """Return a text that is different for each turn."""
        return f"{self.rotation} {self.angle} {self.sheet}"


NOT_TURNED = Turn()


def turn_of(result: Mapping[str, object] | None) -> Turn:
    """Return the turn that a result names, or NOT_TURNED if one of its values makes no sense."""
    values = result or {}
    rotation, angle = values.get("rotation", 0), number(values.get("angle", 0))
    given = values.get("sheet")
    sheet = corners_of(given)
    if isinstance(rotation, bool) or not isinstance(rotation, int) or rotation not in ROTATIONS:
        return NOT_TURNED
    if angle is None or abs(angle) > MAX_ANGLE or (given is not None and sheet is None):
        return NOT_TURNED
    return Turn(rotation, angle, sheet)


def corners_of(value: object) -> Corners | None:
    """Return four corners, or None if the value is anything else."""
    if not isinstance(value, list | tuple) or len(value) != 4:
        return None
    corners = [_corner(point) for point in value]
    first, second, third, fourth = corners
    if first is None or second is None or third is None or fourth is None:
        return None
    return first, second, third, fourth


def _corner(point: object) -> Corner | None:
    if not isinstance(point, list | tuple) or len(point) != 2:
        return None
    across, down = number(point[0]), number(point[1])
    return None if across is None or down is None else (across, down)


MAX_NUMBER = 1e6
"""No picture is larger. The bound also keeps integers out that are too large for a float."""


def number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= MAX_NUMBER and math.isfinite(value) else None
