"""Paragraphs of a region: its rows parted by white, indents, marks of lists, and changes of the size of print."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from inference.layout.boxes import Box
from inference.layout.rows import Row

WIDER_WHITE = 0.35
"""The white above a row, beyond what is usual in its region, that begins a paragraph: a share of the row's height."""
WIDER_STEP = 1.2
"""The ratio of the step to the next row to the usual step in its region that begins a paragraph."""
USUAL = 0.4
"""The share of rows that have no more white before them than is usual."""
OTHER_SIZE = 1.45
"""The ratio of the heights of two rows in different sizes. Rows without tall or deep letters are lower too."""
COMPARED = 9
"""The number of rows above that a row's size is compared with."""
RATHER_OTHER_SIZE = 1.22
"""The same for rows that also stand further apart than is usual."""
INDENT = 0.6
"""The indent that begins a paragraph, as a share of a row's height."""
BULLETS = frozenset("•◦▪■●○‣·*\uf0b7\uf0a7")
LIST_MARK = re.compile(r"\s*(?:[•◦▪■●○‣·*\uf0b7\uf0a7–—-]|\(?\d{1,2}[.)]|\(?[a-zA-Z][.)]|[ivx]{1,4}[.)])\s+\S")
"""The marks of list items: a bullet, a dash, a number or a letter."""
SECTION_TITLE = re.compile(r"\s*\d{1,2}(?:\.\d{1,2}){1,4}\.?\s+[^\W\d_a-z][^\W\d]")
"""The number of a section below a chapter, and the beginning of its title."""
TITLE_WIDTH = 0.75
"""The width of a title, at most, as a share of the width of the row below, where text follows it without white."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    rows: tuple[Row, ...]

    @property
    def box(self) -> Box:
        return Box.around(row.box for row in self.rows)

    @property
    def height(self) -> float:
        """Return the usual height of its rows."""
        return median(row.box.height for row in self.rows)

    @property
    def letter_width(self) -> float:
        """Return the mean width of its letters, the white between two pieces of a row left out."""
        lines = [line for row in self.rows for line in row.lines]
        return sum(line.box.width for line in lines) / max(1, sum(len(line.text) for line in lines))

    @property
    def text(self) -> str:
        return " ".join(row.text for row in self.rows)


def begins_item(text: str) -> bool:
    return LIST_MARK.match(text) is not None


def begins_section(text: str) -> bool:
    return SECTION_TITLE.match(text) is not None


def split_paragraphs(rows: Sequence[Row]) -> list[Paragraph]:
    if not rows:
        return []
    region = Box.around(row.box for row in rows)
    spacing = _usual_spacing(rows)
    paragraphs: list[list[Row]] = []
    for row in rows:
        if paragraphs and not _begins(paragraphs[-1], row, region, spacing):
            paragraphs[-1].append(row)
        else:
            paragraphs.append([row])
    return [Paragraph(tuple(each)) for each in paragraphs]


@dataclass(frozen=True, slots=True)
class _Spacing:
    white: float
    step: float


def _usual_spacing(rows: Sequence[Row]) -> _Spacing:
    """Return the white and the step between rows of a paragraph, which most rows of a region have before them."""
    pairs = list(pairwise(rows))
    if not pairs:
        return _Spacing(0.0, 0.0)
    whites = sorted(max(0.0, below.box.top - above.box.bottom) for above, below in pairs)
    steps = sorted(below.box.middle - above.box.middle for above, below in pairs)
    usual = int(USUAL * len(pairs))
    return _Spacing(whites[usual], steps[usual])


def _begins(paragraph: Sequence[Row], row: Row, region: Box, spacing: _Spacing) -> bool:
    above, height = paragraph[-1], min(row.box.height, paragraph[-1].box.height)
    white, step = row.box.top - above.box.bottom, row.box.middle - above.box.middle
    if white > spacing.white + WIDER_WHITE * height and step > WIDER_STEP * spacing.step:
        return True
    ratio = _size_ratio(paragraph, row)
    if len(paragraph) == 1 and begins_section(above.text) and above.box.width <= TITLE_WIDTH * row.box.width:
        return True
    if (
        begins_item(row.text)
        or begins_section(row.text)
        or ratio > OTHER_SIZE
        or (ratio > RATHER_OTHER_SIZE and step > WIDER_STEP * spacing.step)
    ):
        return True
    return _is_indented(paragraph, row, region)


def _size_ratio(paragraph: Sequence[Row], row: Row) -> float:
    heights = sorted((median(each.box.height for each in paragraph[-COMPARED:]), row.box.height))
    return heights[1] / max(heights[0], 1e-6)


def _is_indented(paragraph: Sequence[Row], row: Row, region: Box) -> bool:
    """Return whether the row is set in from the row above, and that row from neither side of the region."""
    above = paragraph[-1].box
    indent = row.box.left - above.left
    if begins_item(paragraph[0].text) or begins_section(paragraph[0].text):
        # The rows of an item are set in from its mark; the next row that is not ends the item.
        return row.box.left < paragraph[0].box.left + INDENT * row.box.height and len(paragraph) > 1 and indent < 0
    first_of_its_own = len(paragraph) == 1 and indent < -INDENT * row.box.height
    if first_of_its_own:
        return False
    starts_at_margin = abs(above.left - region.left) < INDENT * row.box.height
    return indent > INDENT * row.box.height and starts_at_margin and row.box.right > region.left + 0.5 * region.width
