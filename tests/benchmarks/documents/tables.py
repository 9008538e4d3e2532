"""Print rows of cells: tables, and labels with what belongs to them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.benchmarks.documents import shapes
from tests.benchmarks.documents.breaking import break_lines
from tests.benchmarks.documents.flow import Flow, Look
from tests.benchmarks.documents.sheet import Block, advance
from tests.benchmarks.documents.studio import Studio


@dataclass(frozen=True)
class Column:
    share: float
    align: str = "left"


@dataclass(frozen=True)
class TableLook:
    rules: str = "none"
    """One of none, head, rows, grid, stripes."""
    text: Look | None = None
    padding: float = 0.5


def print_row(flow: Flow, block: Block, cells: Sequence[str], columns: Sequence[Column], look: Look) -> None:
    """Print one row; a cell keeps only as many words as fit in one line."""
    font, size = flow.font(look), flow.sheet.px(look.size)
    baseline = flow.y + round(size * (look.leading + 0.6) / 2)
    pad, left = size * 0.4, float(flow.frame.left)
    for text, column in zip(cells, columns, strict=True):
        width = flow.frame.width * column.share
        words = text.split()
        if words:
            line = break_lines(words, font, width - 2 * pad, advance(font, " "), hyphens=False)[0]
            gap = advance(font, " ")
            spare = width - 2 * pad - line.length - gap * (len(line.words) - 1)
            start = left + pad + {"right": spare, "center": spare / 2}.get(column.align, 0)
            flow.sheet.print_line(block, list(line.words), font, start, baseline, gap=gap, ink=look.ink)
        left += width
    if block.lines:
        block.lines[-1].ends_row = True
    flow.y += flow.pitch(look)


def print_table(
    studio: Studio, flow: Flow, rows: Sequence[Sequence[str]], columns: Sequence[Column], look: TableLook
) -> None:
    """Print a table, the first row of which is its head; rows that do not fit are left out."""
    text = look.text or studio.look()
    block = flow.sheet.block(Block("table", part=flow.part))
    high = round(flow.pitch(text) * (1 + look.padding))
    if not flow.reserve(high * 3):
        return
    top = flow.y
    for number, row in enumerate(rows):
        if flow.left_px < high:
            break
        _background(flow, number, high, look)
        start = flow.y
        flow.y += (high - flow.pitch(text)) // 2
        print_row(flow, block, row, columns, replace(text, style="bold") if number == 0 else text)
        flow.y = start + high
        if look.rules in ("rows", "grid") or (look.rules == "head" and number == 0):
            _across(flow)
    if look.rules == "grid":
        _grid(flow, top, columns)
    flow.skip(text.size * 0.8)


def _background(flow: Flow, number: int, high: int, look: TableLook) -> None:
    if look.rules == "stripes" and number % 2 == 0:
        shade = (205, 210, 216) if number == 0 else (238, 238, 238)
        corners = (flow.frame.left, flow.y, flow.frame.right, flow.y + high)
        flow.sheet.draw.rectangle(corners, fill=shade)


def _across(flow: Flow) -> None:
    ends = (flow.frame.left, flow.y, flow.frame.right, flow.y)
    flow.sheet.draw.line(ends, fill=(60, 60, 60), width=flow.sheet.stroke(0.5))


def _grid(flow: Flow, top: int, columns: Sequence[Column]) -> None:
    frame, left = flow.frame, float(flow.frame.left)
    for column in columns:
        ends = (round(left), top, round(left), flow.y)
        flow.sheet.draw.line(ends, fill=(60, 60, 60), width=flow.sheet.stroke(0.5))
        left += column.share * frame.width
    right = (frame.right, top, frame.right, flow.y)
    flow.sheet.draw.line(right, fill=(60, 60, 60), width=flow.sheet.stroke(0.5))
    flow.sheet.draw.line((frame.left, top, frame.right, top), fill=(60, 60, 60), width=flow.sheet.stroke(0.5))


def random_look(studio: Studio) -> TableLook:
    rules = studio.chance.choice(("none", "head", "rows", "grid", "stripes"))
    return TableLook(rules, studio.look(0.95), studio.chance.choice((0.1, 0.4, 0.8)))


def field_box(studio: Studio, flow: Flow, left: float, width: float, boxed: bool) -> None:
    """Draw where something is to be written: a box or a line, in the row that begins at the flow's height."""
    high = flow.pitch(studio.body)
    if boxed:
        shapes.box(flow.sheet, left, flow.y, left + width, flow.y + high)
    else:
        ends = (round(left), flow.y + high, round(left + width), flow.y + high)
        flow.sheet.draw.line(ends, fill=(60, 60, 60), width=flow.sheet.stroke(0.6))
