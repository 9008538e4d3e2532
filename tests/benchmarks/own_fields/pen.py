"""A pen that prints a PDF with a text layer, and remembers where the values of fields are."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from fpdf import FPDF

Sides = tuple[float, float, float, float]
"""Left, top, right and bottom in points from the top left of the page."""
WIDTH, HEIGHT = 595.0, 842.0


@dataclass
class TrueValue:
    """A value as it is printed, and as a program reads it."""

    lines: list[str]
    normalized: str
    page: int
    box: Sides

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass
class TrueDocument:
    pdf: bytes
    pages: int
    fields: dict[str, list[TrueValue]]
    """The values by field: several for a column of a table, none if the field is not there."""


@dataclass
class Pen:
    chance: Random
    font: str = "Helvetica"
    size: float = 10.0
    y: float = 60.0
    is_complete: bool = False
    """It is set for the example, which has every field."""
    pdf: FPDF = field(init=False)
    fields: dict[str, list[TrueValue]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pdf = FPDF(unit="pt", format=(WIDTH, HEIGHT))
        self.pdf.set_margin(0)
        self.pdf.set_auto_page_break(False)
        self.pdf.add_page()

    def likely(self, share: float) -> bool:
        """Return whether something that is there by chance is there. In the example everything is."""
        return self.chance.random() < share or self.is_complete

    def down(self, lines: float = 1.0) -> None:
        self.y += 1.35 * self.size * lines

    def page(self, y: float = 60.0) -> None:
        self.pdf.add_page()
        self.y = y

    def width(self, text: str, size: float = 1.0, style: str = "") -> float:
        self.pdf.set_font(self.font, style, self.size * size)
        return float(self.pdf.get_string_width(text))

    def text(self, x: float, text: str, *, size: float = 1.0, style: str = "", align: str = "left") -> float:
        """Print a text with its baseline at y, and return where it ends."""
        width = self.width(text, size, style)
        left = x - {"right": width, "center": width / 2}.get(align, 0.0)
        self.pdf.text(left, self.y, text)
        return left + width

    def value(
        self,
        name: str,
        x: float,
        text: str,
        normalized: str = "",
        *,
        size: float = 1.0,
        style: str = "",
        align: str = "left",
    ) -> float:
        """Print the value of a field, and return where it ends."""
        end = self.text(x, text, size=size, style=style, align=align)
        self._keep(name, text, normalized, (end - self.width(text, size, style), end), size)
        return end

    def _keep(self, name: str, text: str, normalized: str, sides: tuple[float, float], size: float) -> None:
        height = self.size * size
        box = (sides[0], self.y - 0.75 * height, sides[1], self.y + 0.2 * height)
        kept = TrueValue([text], normalized or text, self.pdf.page_no(), box)
        self.fields.setdefault(name, []).append(kept)

    def lines(self, name: str, x: float, texts: Sequence[str]) -> None:
        """Print a value of several lines, the first at the height of the pen."""
        first = True
        for text in texts:
            if first:
                self.value(name, x, text)
            else:
                self.down()
                end = self.text(x, text)
                kept = self.fields[name][-1]
                kept.lines.append(text)
                kept.normalized += f", {text}"
                kept.box = (kept.box[0], kept.box[1], max(end, kept.box[2]), self.y + 0.2 * self.size)
            first = False

    def pair(self, label: str, x: float, name: str, text: str, normalized: str = "", *, at: float = 0.0) -> None:
        """Print a label and its value in a line: right behind it, or at a place of its own."""
        end = self.text(x, label)
        self.value(name, at or end + self.width(" "), text, normalized)

    def sentence(self, x: float, right: float, parts: Sequence[str | Sequence[str]]) -> None:
        """Print running text from a left to a right, some parts of which are values: (name, text, normalized)."""
        at = x
        space = self.width(" ")
        for part in parts:
            name, text, normalized = ("", part, "") if isinstance(part, str) else (*part, "")[:3]
            words = text.split(" ") if not name else [text]
            for word in words:
                if at + self.width(word) > right:
                    self.down()
                    at = x
                if name:
                    at = self.value(name, at, word, normalized) + space
                elif word in {",", ".", ";", ")"}:
                    at = self.text(at - space, word) + space
                else:
                    at = self.text(at, word) + space
        self.down()

    def table(
        self, lefts: Sequence[float], rows: Sequence[Sequence[str | tuple[str, str, str]]], *, ruled: bool, right: float
    ) -> None:
        """Print rows, the first of which is the head. A negative left is the right side of numbers."""
        step = 1.7 * self.size
        for number, row in enumerate(rows):
            if ruled:
                self.rule(min(map(abs, lefts)) - 4, self.y - 1.15 * self.size, right)
            for left, cell in zip(lefts, row, strict=True):
                align, style = ("right" if left < 0 else "left"), ("B" if number == 0 else "")
                if isinstance(cell, str):
                    self.text(abs(left), cell, align=align, style=style)
                else:
                    self.value(cell[0], abs(left), cell[1], cell[2], align=align)
            self.y += step
        self.rule(min(map(abs, lefts)) - 4, self.y - 1.15 * self.size, right)

    def rule(self, left: float, y: float, right: float) -> None:
        self.pdf.set_line_width(0.6)
        self.pdf.line(left, y, right, y)

    def frame(self, left: float, top: float, right: float, bottom: float) -> None:
        self.pdf.set_line_width(0.6)
        self.pdf.rect(left, top, right - left, bottom - top)

    def tick(self, x: float, checked: bool) -> None:
        """Print a tick box on the line, crossed if it is checked."""
        side = 0.8 * self.size
        top = self.y - side
        self.frame(x, top, x + side, self.y)
        if checked:
            self.pdf.line(x + 1.5, top + 1.5, x + side - 1.5, self.y - 1.5)
            self.pdf.line(x + 1.5, self.y - 1.5, x + side - 1.5, top + 1.5)

    def done(self) -> TrueDocument:
        return TrueDocument(bytes(self.pdf.output()), self.pdf.page_no(), self.fields)
