"""Hold what the layouts of a page share: sheet, chance, words, look of the text and margins."""

import random
from dataclasses import dataclass, replace

from tests.benchmarks.documents.flow import Flow, Frame, Look
from tests.benchmarks.documents.fonts import Family
from tests.benchmarks.documents.sheet import FOOT, TOP, Sheet
from tests.benchmarks.documents.wording.sentences import Wording

A4 = (595.0, 842.0)
LETTER = (612.0, 792.0)
HEADER_PT = 34
GRAY = (90, 90, 90)


@dataclass
class Studio:
    sheet: Sheet
    chance: random.Random
    wording: Wording
    body: Look
    columns: int | None
    """The number of columns that was asked for."""
    margins: tuple[float, float, float, float]
    """The left, top, right and bottom margin in points."""

    def look(self, scale: float = 1, style: str = "regular", **changes: object) -> Look:
        """Return the look of the body, without justification, with some changes."""
        plain = replace(
            self.body, size=self.body.size * scale, style=style, align="left", hyphens=False, first_indent=0
        )
        return replace(plain, **changes)  # type: ignore[arg-type]

    @property
    def content(self) -> Frame:
        """Return the frame within the margins."""
        left, top, right, bottom = (self.sheet.px(one) for one in self.margins)
        return Frame(left, top, self.sheet.width - left - right, self.sheet.height - top - bottom)

    def flow(self, *frames: Frame) -> Flow:
        return Flow(self.sheet, list(frames) or [self.content])

    def at(self, left: float, top: float, width: float, height: float = 900, part: int | None = None) -> Flow:
        """Return a flow at a place in points."""
        px = self.sheet.px
        flow = self.flow(Frame(px(left), px(top), px(width), px(height)))
        flow.part = flow.part if part is None else part
        return flow

    @property
    def width_pt(self) -> float:
        return self.sheet.width * 72 / self.sheet.dpi

    @property
    def height_pt(self) -> float:
        return self.sheet.height * 72 / self.sheet.dpi

    @property
    def inner_pt(self) -> float:
        return self.width_pt - self.margins[0] - self.margins[2]

    def likely(self, share: float) -> bool:
        return self.chance.random() < share

    def rule(self, flow: Flow, width: float = 1.0, stroke: float = 0.6) -> None:
        """Draw a line across the frame at the flow's height."""
        frame = flow.frame
        ends = (frame.left, flow.y, frame.left + round(frame.width * width), flow.y)
        self.sheet.draw.line(ends, fill=GRAY, width=self.sheet.stroke(stroke))
        flow.skip(4)

    def furniture(self, header: float = 0.6, footer: float = 0.5, number: float = 0.7) -> None:
        """Print a running header, a footer and a page number, each by chance."""
        chance, left, width = self.chance, self.margins[0], self.inner_pt
        small = self.look(0.85, chance.choice(("regular", "italic")))
        if self.likely(header):
            top = self.at(left, HEADER_PT, width, part=TOP)
            top.write(
                self.wording.pick("running"), replace(small, align=chance.choice(("left", "center", "right"))), "header"
            )
            if self.likely(0.5):
                self.rule(top)
        low = self.height_pt - self.margins[3] + 14
        printed = self.likely(footer)
        if printed:
            self.at(left, low, width * 0.7, part=FOOT).write(self.wording.pick("foot"), small, "footer")
        if self.likely(number):
            align = "right" if printed else chance.choice(("left", "center", "right"))
            numbers = self.at(left, low, width, part=FOOT)
            numbers.write(self.wording.pick("folio"), self.look(0.9, align=align), "page_number")


def studio(
    sheet: Sheet, chance: random.Random, wording: Wording, family: Family, *, columns: int | None, size: float
) -> Studio:
    sides = chance.uniform(45, 80)
    leading = chance.choice((1.12, 1.2, 1.25, 1.35, 1.5))
    body = Look(family, size, leading=leading, after=chance.choice((0.3, 0.5, 0.8)))
    return Studio(sheet, chance, wording, body, columns, (sides, chance.uniform(60, 90), sides, chance.uniform(60, 85)))
