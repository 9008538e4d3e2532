"""Turn generated pages into what a pipeline knows of them: their text, lines and blocks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from inference.core.contracts import TextLine
from inference.layout.boxes import Box, PageLine
from inference.layout.page_layout import lay_out
from tests.benchmarks.documents import GeneratedPage, generate
from tests.benchmarks.documents.fonts import BUILT_IN
from tests.benchmarks.documents.generation import CLASSES, COLUMNS, OTHERS

DPI = 72


@dataclass(frozen=True)
class Sample:
    label: str
    layout: str
    language: str
    text: str
    lines: tuple[TextLine, ...] = ()
    blocks: tuple[Mapping[str, Any], ...] = ()
    width: int | None = None
    height: int | None = None


def generated(half: int, seed: int, count: int) -> Iterator[Sample]:
    """Yield `count` pages of each class and language; those of the class "other" are of all layouts in equal parts."""
    others = (*OTHERS, COLUMNS)
    for language in ("en", "de"):
        for layout in (*CLASSES, *others):
            share = count if layout in CLASSES else -(-count // len(others))
            for number in range(seed, seed + share):
                page = generate(number, layout, language=language, dpi=DPI, font=BUILT_IN, half=half)
                yield sample_of(page)


def sample_of(page: GeneratedPage) -> Sample:
    """Return the page as a pipeline sees it that reads each line without an error."""
    height, width = page.picture.shape[:2]
    lines = tuple(TextLine(line.text, line.box, 1.0) for line in page.lines)
    return laid_out(page.kind, page.layout, page.language, lines, width, height)


def laid_out(
    label: str, layout: str, language: str, lines: tuple[TextLine, ...], width: int, height: int
) -> Sample:
    """Return the lines in reading order, with the blocks that they form."""
    placed = [PageLine(number, line.text, Box.of_corners(line.box)) for number, line in enumerate(lines) if line.box]
    found = lay_out(placed, height)
    order = found.order
    place = {number: at for at, number in enumerate(order)}
    blocks = tuple(
        {
            "type": block.type,
            "level": block.level,
            "box": block.paragraph.box.corners(),
            "lines": [place[line.index] for row in block.paragraph.rows for line in row.lines],
        }
        for block in found.blocks
    )
    ordered = tuple(lines[number] for number in order)
    return Sample(label, layout, language, found.text, ordered, blocks, width, height)
