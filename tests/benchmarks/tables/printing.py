"""Prints made-up tables on a sheet, and returns what a perfect reader would find."""

from dataclasses import dataclass, replace

from inference.layout.boxes import Box
from inference.tables.table import Cell, Table
from tests.benchmarks.documents.breaking import break_lines
from tests.benchmarks.documents.flow import Flow, Look
from tests.benchmarks.documents.fonts import Font
from tests.benchmarks.documents.sheet import Block, advance
from tests.benchmarks.tables.contents import Contents, Entry

RULED = ("grid", "rows")
OPEN = ("booktabs", "head", "stripes", "none")
INK = (50, 50, 50)


@dataclass(frozen=True)
class Design:
    rules: str
    """One of RULED or OPEN."""
    text: Look
    gap: float
    """The white between two columns, at least, in em."""
    padding: float
    """The white above and below a row, in em."""
    widest: float = 11.0
    """The width of a column, at most, in em. Longer texts go on in another line."""


@dataclass(frozen=True)
class _Sides:
    """Where the columns are, in pixels. The white around each text is inside."""

    lefts: tuple[int, ...]
    tops: tuple[int, ...]

    def box(self, entry: Entry) -> Box:
        right, bottom = entry.column + entry.column_span, entry.row + entry.row_span
        return Box(self.lefts[entry.column], self.tops[entry.row], self.lefts[right], self.tops[bottom])


def print_table(flow: Flow, filled: Contents, design: Design, *, stretch: float = 0.0) -> Table | None:
    """Print a table at the flow's height if it fits. `stretch` widens it, as a share of the frame."""
    printer = _Printer(flow, filled, design)
    widths = printer.widths()
    if sum(widths) > flow.frame.width:
        return None
    more = max(0.0, stretch * flow.frame.width - sum(widths)) / len(widths)
    lefts = [flow.frame.left]
    for width in widths:
        lefts.append(lefts[-1] + round(width + more))
    heights = printer.heights()
    if sum(heights) > flow.left_px:
        return None
    tops = [flow.y]
    for height in heights:
        tops.append(tops[-1] + height)
    sides = _Sides(tuple(lefts), tuple(tops))
    printer.draw(sides)
    flow.y = tops[-1]
    cells = tuple(
        Cell(each.row, each.column, each.text, sides.box(each), each.row_span, each.column_span, header=each.header)
        for each in filled.entries
        if each.text
    )
    box = Box(lefts[0], tops[0], lefts[-1], tops[-1])
    return Table(filled.rows, len(filled.aligns), cells, box, filled.header_rows)


class _Printer:
    def __init__(self, flow: Flow, filled: Contents, design: Design) -> None:
        self.flow, self.filled, self.design = flow, filled, design
        self.plain = flow.font(design.text)
        self.bold = flow.font(replace(design.text, style="bold"))
        self.em = flow.sheet.px(design.text.size)
        self.pad = design.gap * self.em / 2

    def font(self, entry: Entry) -> Font:
        return self.bold if entry.bold else self.plain

    def lines(self, entry: Entry) -> list[str]:
        if entry.column_span > 1:
            return [entry.text]
        font = self.font(entry)
        broken = break_lines(entry.text.split(), font, self.design.widest * self.em, advance(font, " "), hyphens=False)
        return [" ".join(line.words) for line in broken]

    def wide(self, entry: Entry) -> float:
        return max((advance(self.font(entry), line) for line in self.lines(entry)), default=0.0)

    def decimals(self, column: int) -> float:
        """Return the width of the longest decimal places in a column."""
        texts = [each for each in self.filled.entries if each.column == column and not each.header]
        return max((advance(self.font(each), _decimals(each.text)) for each in texts), default=0.0)

    def widths(self) -> list[float]:
        widths = []
        for column, align in enumerate(self.filled.aligns):
            alone = [each for each in self.filled.entries if each.column == column and each.column_span == 1]
            width = max((self.wide(each) for each in alone), default=self.em)
            if align == "decimal":
                before = (
                    advance(self.font(each), each.text) - advance(self.font(each), _decimals(each.text))
                    for each in alone
                )
                width = max(width, max(before, default=0.0) + self.decimals(column))
            widths.append(width + 2 * self.pad)
        for each in self.filled.entries:
            inside = range(each.column, each.column + each.column_span)
            lacks = self.wide(each) + 2 * self.pad - sum(widths[column] for column in inside)
            for column in inside:
                widths[column] += max(0.0, lacks) / len(inside)
        return widths

    def heights(self) -> list[int]:
        counts = [1] * self.filled.rows
        for each in self.filled.entries:
            if each.row_span == 1:
                counts[each.row] = max(counts[each.row], len(self.lines(each)))
        pitch, padding = self.flow.pitch(self.design.text), round(2 * self.design.padding * self.em)
        return [count * pitch + padding for count in counts]

    def draw(self, sides: _Sides) -> None:
        if self.design.rules == "stripes":
            self.stripes(sides)
        block = self.flow.sheet.block(Block("table", part=self.flow.part))
        for each in self.filled.entries:
            self.text(block, each, sides.box(each))
        self.rules(sides)

    def text(self, block: Block, entry: Entry, box: Box) -> None:
        lines, font = self.lines(entry), self.font(entry)
        pitch, size = self.flow.pitch(self.design.text), self.em
        align = entry.align or self.filled.aligns[entry.column]
        y = box.top + self.design.padding * size
        if entry.row_span > 1:
            y = (box.top + box.bottom - pitch * len(lines)) / 2
        for line in lines:
            spare = box.width - 2 * self.pad - advance(font, line)
            shift = {"right": spare, "center": spare / 2, "decimal": spare}.get(align, 0.0)
            if align == "decimal" and not entry.header:
                shift -= self.decimals(entry.column) - advance(font, _decimals(line))
            baseline = round(y + size * (self.design.text.leading + 0.6) / 2)
            start = box.left + self.pad + shift
            self.flow.sheet.print_line(block, line.split(), font, start, baseline, gap=advance(font, " "))
            y += pitch
        block.lines[-1:] = [replace(line, ends_row=True) for line in block.lines[-1:]]

    def stripes(self, sides: _Sides) -> None:
        for row in range(0, self.filled.rows, 2):
            shade = (205, 210, 216) if row == 0 else (236, 236, 236)
            corners = (sides.lefts[0], sides.tops[row], sides.lefts[-1], sides.tops[row + 1])
            self.flow.sheet.draw.rectangle(corners, fill=shade)

    def rules(self, sides: _Sides) -> None:
        kind, head = self.design.rules, sides.tops[self.filled.header_rows]
        left, right, top, bottom = sides.lefts[0], sides.lefts[-1], sides.tops[0], sides.tops[-1]
        if kind == "booktabs":
            for y, weight in ((top, 1.2), (head, 0.6), (bottom, 1.2)):
                self.line(left, y, right, y, weight)
            for each in self.filled.entries:
                if each.header and each.column_span > 1:
                    box, pad = sides.box(each), round(self.pad * 0.6)
                    self.line(round(box.left) + pad, round(box.bottom), round(box.right) - pad, round(box.bottom), 0.4)
        if kind == "head":
            self.line(left, head, right, head, 0.6)
        if kind == "rows":
            for y in sides.tops:
                if y == top or y >= head:
                    self.line(left, y, right, y, 0.5)
        if kind == "grid":
            self.grid(sides)

    def grid(self, sides: _Sides) -> None:
        covered = {
            (row, column)
            for each in self.filled.entries
            for row in range(each.row, each.row + each.row_span)
            for column in range(each.column, each.column + each.column_span)
        }
        boxes = [sides.box(each) for each in self.filled.entries]
        for row in range(self.filled.rows):
            for column in range(len(self.filled.aligns)):
                if (row, column) not in covered:
                    boxes.append(sides.box(Entry(row, column, "")))
        for box in boxes:
            left, top, right, bottom = (round(side) for side in (box.left, box.top, box.right, box.bottom))
            for ends in (
                (left, top, right, top),
                (left, bottom, right, bottom),
                (left, top, left, bottom),
                (right, top, right, bottom),
            ):
                self.line(*ends, 0.5)

    def line(self, left: int, top: int, right: int, bottom: int, weight: float) -> None:
        sheet = self.flow.sheet
        sheet.draw.line((left, top, right, bottom), fill=INK, width=sheet.stroke(weight))


def _decimals(text: str) -> str:
    """Return what stands behind the last point or comma of a number, with it."""
    at = max(text.rfind("."), text.rfind(","))
    return text[at:] if at >= 0 and any(char.isdigit() for char in text) else ""
