"""A pen that prints texts at places in points, and remembers the words that are the values of fields."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.benchmarks.documents.fonts import Family, face
from tests.benchmarks.documents.sheet import Block, Sheet, advance
from tests.benchmarks.documents.truth import Quad

Span = tuple[str, str | None]
"""A text and the name of the field that it is the value of, if it is one."""


@dataclass
class Pen:
    sheet: Sheet
    family: Family
    size: float
    marks: list[tuple[str, list[Quad]]] = field(default_factory=list)
    """The fields that were printed, each with the boxes of its words."""
    box: tuple[float, float, float, float] = (0, 0, 0, 0)

    def write(
        self,
        x: float,
        y: float,
        *spans: Span | str,
        size: float = 1.0,
        style: str = "regular",
        align: str = "left",
        kind: str = "paragraph",
    ) -> float:
        """Print spans in a line whose baseline is at a height; return the width in points."""
        font = face(self.family, style, max(6, self.sheet.px(self.size * size)))
        parts = [(span, None) if isinstance(span, str) else span for span in spans]
        words = [(word, name) for text, name in parts for word in text.split()]
        if not words:
            return 0.0
        gap = advance(font, " ")
        width = sum(advance(font, word) for word, _ in words) + gap * (len(words) - 1)
        left = self.sheet.px(x) - {"right": width, "center": width / 2}.get(align, 0.0)
        block = self.sheet.block(Block(kind))
        self.sheet.print_line(block, [word for word, _ in words], font, left, self.sheet.px(y), gap=gap)
        quads = [quad for _, quad in block.lines[-1].words]
        self._mark(words, quads)
        self.box = (left, quads[0][0][1], left + width, quads[0][2][1])
        return width * 72 / self.sheet.dpi

    def _mark(self, words: Sequence[Span], quads: Sequence[Quad]) -> None:
        start = 0
        while start < len(words):
            end = start
            while end < len(words) and words[end][1] == words[start][1]:
                end += 1
            name = words[start][1]
            if name is not None:
                self.marks.append((name, list(quads[start:end])))
            start = end

    def rule(self, left: float, y: float, right: float, stroke: float = 0.6) -> None:
        px = self.sheet.px
        self.sheet.draw.line((px(left), px(y), px(right), px(y)), fill=(70, 70, 70), width=self.sheet.stroke(stroke))

    def frame(
        self, left: float, top: float, right: float, bottom: float, fill: tuple[int, int, int] | None = None
    ) -> None:
        px = self.sheet.px
        corners = (px(left), px(top), px(right), px(bottom))
        self.sheet.draw.rectangle(corners, fill=fill, outline=(70, 70, 70), width=self.sheet.stroke(0.6))
