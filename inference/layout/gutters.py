"""Gutters: white that runs down between lines, and bands of lines with white above and below."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from inference.layout.boxes import Box, PageLine

SHRUNK = 0.18
"""The share of its height by which a line is cut at its top and bottom, so that descenders do not join bands."""
MIN_GUTTER = 0.6
"""The width of a gutter between many rows, as a multiple of the usual height of a line."""
MIN_SHORT_GUTTER = 1.2
"""The same between few rows, where the space between two words may look like a gutter."""
FEW_ROWS = 4


@dataclass(frozen=True, slots=True)
class Gutter:
    """A stretch from left to right that is free of lines."""

    left: float
    right: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def center(self) -> float:
        return (self.left + self.right) / 2


@dataclass(frozen=True, slots=True)
class Band:
    lines: tuple[PageLine, ...]
    box: Box


def free_between(spans: Sequence[Gutter], lines: Sequence[PageLine], width: float) -> list[Gutter]:
    """Return what is left of the spans beside these lines, where it is at least this wide."""
    free = list(spans)
    for line in lines:
        left, right = line.box.left, line.box.right
        beside: list[Gutter] = []
        for span in free:
            if right <= span.left or left >= span.right:
                beside.append(span)
                continue
            if left - span.left >= width:
                beside.append(Gutter(span.left, left))
            if span.right - right >= width:
                beside.append(Gutter(right, span.right))
        free = beside
    return free


def find_gutters(lines: Sequence[PageLine], height: float) -> list[Gutter]:
    """Return the gutters that no line crosses, from left to right. `height` is the usual height of a line."""
    found: list[Gutter] = []
    by_left = sorted(lines, key=lambda line: line.box.left)
    reach = by_left[0].box.right if by_left else 0.0
    for line in by_left[1:]:
        if line.box.left > reach:
            found.append(Gutter(reach, line.box.left))
        reach = max(reach, line.box.right)
    wanted = height * (MIN_GUTTER if _row_count(lines) >= FEW_ROWS else MIN_SHORT_GUTTER)
    return [gutter for gutter in found if gutter.width >= wanted]


def split(lines: Sequence[PageLine], gutters: Sequence[Gutter]) -> list[list[PageLine]]:
    """Return the lines of each column, from left to right."""
    columns: list[list[PageLine]] = [[] for _ in range(len(gutters) + 1)]
    centers = [gutter.center for gutter in gutters]
    for line in lines:
        columns[bisect_left(centers, line.box.center)].append(line)
    return columns


def find_bands(lines: Sequence[PageLine]) -> list[Band]:
    """Return the bands from top to bottom. White runs between them from the left to the right."""
    bands: list[list[PageLine]] = []
    reach = float("-inf")
    for line in sorted(lines, key=_shrunk_top):
        if _shrunk_top(line) >= reach:
            bands.append([])
        bands[-1].append(line)
        reach = max(reach, line.box.bottom - SHRUNK * line.box.height)
    return [_band(each) for each in bands]


def _band(lines: Sequence[PageLine]) -> Band:
    return Band(tuple(lines), Box.around(line.box for line in lines))


def _shrunk_top(line: PageLine) -> float:
    return line.box.top + SHRUNK * line.box.height


def _row_count(lines: Sequence[PageLine]) -> int:
    """Return the number of lines one below the other, at least."""
    count, reach = 0, float("-inf")
    for line in sorted(lines, key=lambda each: each.box.bottom):
        if line.box.top + SHRUNK * line.box.height >= reach:
            count += 1
            reach = line.box.bottom - SHRUNK * line.box.height
    return count
