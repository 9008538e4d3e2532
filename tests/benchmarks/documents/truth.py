"""Describe a generated page: its picture, and all that a perfect reader would find on it."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float64]
Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""The corners of a box, clockwise from the upper left of the upright text."""


@dataclass(frozen=True)
class Word:
    text: str
    box: Quad
    block: int
    line: int


@dataclass(frozen=True)
class TruthLine:
    """Holds a printed line, or one cell of a table; hyphens at its end are kept."""

    text: str
    box: Quad
    block: int
    confidence: float = 1.0


@dataclass(frozen=True)
class TruthBlock:
    """Holds a block with the text of its lines joined, and hyphens at line ends mended.

    The parts of a paragraph that goes on in the next column are blocks of their own; `continues` marks the later ones.
    """

    type: str
    box: Quad
    text: str
    lines: tuple[int, ...]
    level: int | None = None
    continues: bool = False


@dataclass(frozen=True)
class GeneratedPage:
    """Holds a picture and its truth in reading order.

    The order is: running header, then the body column by column with captions and boxed text where they stand, each
    side
    note after the block that it stands beside, then footnotes, footer and page number.

    `kind` is the class of the document; `layout` says more, such as "recipe" for a page of kind "other". `rotation`
    are the
    degrees clockwise by which the picture must be turned to be upright, `angle` those by which it was turned
    besides, and
    `sheet` the corners of the paper if the page is photographed.
    """

    picture: Picture
    words: list[Word]
    blocks: list[TruthBlock]
    lines: list[TruthLine]
    kind: str
    language: str
    layout: str = ""
    dpi: float = 200
    rotation: int = 0
    angle: float = 0.0
    sheet: Quad | None = None

    def text(self, without: Container[str] = ()) -> str:
        """Return the text of the blocks, except those of some types, with blank lines between them."""
        return "\n\n".join(block.text for block in self.blocks if block.type not in without)

    def moved(self, picture: Picture, move: Callable[[Quad], Quad]) -> "GeneratedPage":
        """Return the page with another picture and all boxes moved."""
        return replace(
            self,
            picture=picture,
            words=[replace(word, box=move(word.box)) for word in self.words],
            blocks=[replace(block, box=move(block.box)) for block in self.blocks],
            lines=[replace(line, box=move(line.box)) for line in self.lines],
            sheet=move(self.sheet) if self.sheet else None,
        )


def upright(left: float, top: float, right: float, bottom: float) -> Quad:
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def around(boxes: Sequence[Quad]) -> Quad:
    """Return the smallest upright box around some boxes."""
    across = [x for box in boxes for x, _ in box]
    down = [y for box in boxes for _, y in box]
    return upright(min(across), min(down), max(across), max(down))
