"""Lines of a page as upright boxes, alone and several together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from inference.core.contracts import Quad

MARGIN_ABOVE = 0.15
"""The margin above and below the print of a recognized line, as a share of the height of its box."""
PICTURE = 5.0
"""The height of a picture, at least, as a multiple of the usual height of a line."""


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Return the height of the middle, from the top of the page."""
        return (self.top + self.bottom) / 2

    @property
    def center(self) -> float:
        return (self.left + self.right) / 2

    @classmethod
    def around(cls, boxes: "Iterable[Box]") -> Self:
        sides = [(box.left, box.top, box.right, box.bottom) for box in boxes]
        left, top, right, bottom = zip(*sides, strict=True)
        return cls(min(left), min(top), max(right), max(bottom))

    @classmethod
    def of_corners(cls, corners: Sequence[Sequence[float]]) -> Self:
        across, down = [corner[0] for corner in corners], [corner[1] for corner in corners]
        return cls(min(across), min(down), max(across), max(down))

    def corners(self) -> Quad:
        return (self.left, self.top), (self.right, self.top), (self.right, self.bottom), (self.left, self.bottom)

    def holds(self, other: "Box") -> bool:
        """Return whether the middle of another box lies within this one."""
        return self.left <= other.center <= self.right and self.top <= other.middle <= self.bottom

    def shares_height(self, other: "Box") -> float:
        """Return how much of the lower of both boxes lies beside the other, from 0 to 1."""
        shared = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, shared) / max(min(self.height, other.height), 1e-6)

    def shares_width(self, other: "Box") -> float:
        shared = min(self.right, other.right) - max(self.left, other.left)
        return max(0.0, shared) / max(min(self.width, other.width), 1e-6)


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line as it was found. `index` is its number there."""

    index: int
    text: str
    box: Box


def usual_height(lines: Sequence[PageLine]) -> float:
    """Return the height of most of the text. A long line counts more than a short one."""
    by_height = sorted(lines, key=lambda line: line.box.height)
    half = sum(len(line.text) + 1 for line in by_height) / 2
    for line in by_height:
        half -= len(line.text) + 1
        if half <= 0:
            return max(line.box.height, 1e-6)
    return 1.0


def usual_letter_width(lines: Sequence[PageLine]) -> float:
    """Return the width of a letter in most of the text. A long line counts more than a short one."""
    by_width = sorted((line.box.width / len(line.text), len(line.text)) for line in lines if line.text)
    half = sum(length for _, length in by_width) / 2
    for width, length in by_width:
        half -= length
        if half <= 0:
            return width
    return 0.0
