"""Reads the lines of a page from its result. This module is pure.

An added model may return anything under these names, so nothing is taken for granted.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from inference.core.contracts import Quad

MAX_PIXELS = 1e6
"""No picture is wider or higher. The bound also leaves out whole numbers that no float can hold."""


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    """The text without line breaks."""
    box: Quad | None = None


def lines_of(result: Mapping[str, object]) -> list[Line]:
    """Return the lines with their numbers in the result: one that cannot be read has no text."""
    given = result.get("lines")
    return [_line(line) for line in given] if isinstance(given, list | tuple) else []


def text_of(result: Mapping[str, object]) -> str:
    text = result.get("text")
    return text if isinstance(text, str) else ""


def _line(given: object) -> Line:
    if not isinstance(given, Mapping):
        return Line("")
    text = given.get("text")
    return Line(one_line(text) if isinstance(text, str) else "", quad_of(given.get("box")))


def one_line(text: str) -> str:
    return " ".join(text.split())


def quad_of(given: object) -> Quad | None:
    """Return four corners, or None if the value is anything else."""
    if not isinstance(given, list | tuple) or len(given) != 4:
        return None
    corners = [corner for corner in map(_corner, given) if corner is not None]
    return (corners[0], corners[1], corners[2], corners[3]) if len(corners) == 4 else None


def _corner(given: object) -> tuple[float, float] | None:
    if not isinstance(given, list | tuple) or len(given) != 2:
        return None
    x, y = number_of(given[0]), number_of(given[1])
    return None if x is None or y is None else (x, y)


def number_of(given: object) -> float | None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not abs(given) <= MAX_PIXELS:
        return None
    return float(given) if math.isfinite(given) else None
