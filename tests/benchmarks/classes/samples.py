"""Turn generated pages into what a pipeline knows of them: their text, lines and blocks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
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
    """Yield `count` pages of each class and language, and more of the class "other", as its layouts differ."""
    others = (*OTHERS, COLUMNS)
    for language in ("en", "de"):
        for layout in (*CLASSES, *others):
            share = count if layout in CLASSES else -(-2 * count // len(others))
            for number in range(seed, seed + share):
                page = generate(number, layout, language=language, dpi=DPI, font=BUILT_IN, half=half)
                yield sample_of(page)


def sample_of(page: GeneratedPage) -> Sample:
    """Return the page as a pipeline sees it that reads each line without an error."""
    height, width = page.picture.shape[:2]
    lines = tuple(TextLine(line.text, line.box, 1.0) for line in page.lines)
    return laid_out(Sample(page.kind, page.layout, page.language, "", lines, (), width, height))


def laid_out(sample: Sample) -> Sample:
    """Return the page with its lines in reading order, and with the blocks and the text that they form."""
    lines = [PageLine(at, line.text, Box.of_corners(line.box)) for at, line in enumerate(sample.lines) if line.box]
    found = lay_out(lines, sample.height or 0)
    order = found.order
    places = {number: at for at, number in enumerate(order)}
    blocks = tuple(
        {
            "type": block.type,
            "level": block.level,
            "box": block.paragraph.box.corners(),
            "lines": [places[line.index] for row in block.paragraph.rows for line in row.lines],
        }
        for block in found.blocks
    )
    return replace(sample, text=found.text, lines=tuple(sample.lines[number] for number in order), blocks=blocks)
