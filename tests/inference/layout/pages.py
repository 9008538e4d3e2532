"""Lines of pages, set as a typesetter would: columns of prose, single lines, tables."""

from collections.abc import Iterable, Sequence

from inference.layout.boxes import Box, PageLine
from inference.layout.page_layout import PageLayout, lay_out

HEIGHT, STEP, CHARACTER = 20.0, 27.0, 10.0
"""The height of a line, the distance between the tops of two, and the width of a letter, in pixels."""
PAGE_HEIGHT = 1400.0
PROSE = "the quick brown fox jumps over the lazy dog and runs on through the dark green woods at night "


class Page:
    """A page that lines are set on. Each line has a number of its own."""

    def __init__(self) -> None:
        self.lines: list[PageLine] = []

    def line(self, left: float, top: float, text: str, *, width: float | None = None, height: float = HEIGHT) -> int:
        wide = CHARACTER * len(text) * height / HEIGHT if width is None else width
        self.lines.append(PageLine(len(self.lines), text, Box(left, top, left + wide, top + height)))
        return self.lines[-1].index

    def stacked(self, left: float, top: float, texts: Iterable[str], *, height: float = HEIGHT) -> list[int]:
        step = STEP * height / HEIGHT
        return [self.line(left, top + row * step, text, height=height) for row, text in enumerate(texts)]

    def prose(self, left: float, top: float, width: float, rows: int, *, height: float = HEIGHT) -> list[int]:
        """Set a paragraph. Its last row ends early."""
        whole = int(width * HEIGHT / height / CHARACTER)
        lengths = [whole - row % 2 for row in range(rows - 1)] + [whole // 2]
        texts = [(PROSE * 5)[row * 7 : row * 7 + length] for row, length in enumerate(lengths)]
        return self.stacked(left, top, [text.strip().ljust(len(text), "s") for text in texts], height=height)

    def table(self, lefts: Sequence[float], top: float, rows: Sequence[Sequence[str]]) -> list[int]:
        cells = [
            (left, top + 36 * row, text)
            for row, texts in enumerate(rows)
            for left, text in zip(lefts, texts, strict=True)
        ]
        return [self.line(left, down, text) for left, down, text in cells]

    def laid_out(self) -> PageLayout:
        return lay_out(self.lines, PAGE_HEIGHT)


def roles(layout: PageLayout) -> dict[str, list[list[int]]]:
    """Return the numbers of the lines of each block, by the types of the blocks."""
    found: dict[str, list[list[int]]] = {}
    for block in layout.blocks:
        numbers = [line.index for row in block.paragraph.rows for line in row.lines]
        found.setdefault(block.type, []).append(numbers)
    return found
