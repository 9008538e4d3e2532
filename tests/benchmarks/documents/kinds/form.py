"""Lay out forms: labels with lines or boxes to fill in, tick boxes and tables, empty or filled in."""

from dataclasses import replace
from functools import partial

from tests.benchmarks.documents import shapes
from tests.benchmarks.documents.flow import Flow
from tests.benchmarks.documents.fonts import face, handwritten
from tests.benchmarks.documents.sheet import Block, advance
from tests.benchmarks.documents.studio import Studio
from tests.benchmarks.documents.tables import Column, TableLook, field_box, print_table

PEN = (20, 30, 110)


def compose(studio: Studio) -> None:
    chance, wording = studio.chance, studio.wording
    studio.furniture(header=0.3, footer=0.3, number=0.4)
    flow = studio.flow()
    title = studio.look(chance.uniform(1.4, 2), "bold", align=chance.choice(("left", "center")), after=0.5)
    flow.write(wording.pick("title"), title, "heading", 1)
    flow.write(" ".join(wording.some("sentence", chance.randint(1, 3))), studio.look(0.9, after=1))
    fields = partial(_fields, boxed=studio.likely(0.5), wide=studio.likely(0.5), filled=studio.likely(0.5))
    for number, name in enumerate(wording.some("section", chance.randint(2, 5)), 1):
        if flow.left_px < studio.sheet.px(110):
            break
        _section(studio, flow, f"{number}. {name}" if studio.likely(0.5) else name)
        chance.choice((fields, fields, _choices, _table))(studio, flow)
    flow.skip(6)
    flow.write(" ".join(wording.some("sentence", chance.randint(1, 2))), studio.look(0.85, after=1.5))


def _section(studio: Studio, flow: Flow, name: str) -> None:
    flow.skip(6)
    flow.write(name, studio.look(1.1, "bold", after=0.4), "heading", 2)


def _fields(studio: Studio, flow: Flow, *, boxed: bool, wide: bool, filled: bool) -> None:
    """Print labels, in one or two columns, before or above what is to be filled in."""
    frame = flow.frame
    labels = studio.wording.some("label", studio.chance.randint(4, 8))
    across = 1 if wide else 2
    above = boxed and studio.likely(0.5)
    step = flow.pitch(studio.body)
    width = frame.width / across - studio.sheet.px(8) * (across - 1)
    for number, label in enumerate(labels):
        if flow.left_px < step * 3:
            return
        left = frame.left + (number % across) * frame.width / across
        top = flow.y
        taken = _label(studio, flow, label, left=left, above=above, width=width)
        field_box(studio, flow, left + taken, width - taken, boxed)
        if filled and studio.likely(0.8):
            _answer(studio, flow, left + taken, width - taken)
        ends = number % across == across - 1 or number == len(labels) - 1
        flow.y = flow.y + round(step * 1.5) if ends else top


def _label(studio: Studio, flow: Flow, label: str, *, left: float, above: bool, width: float) -> float:
    """Print a label and return how much of the width it takes."""
    look = studio.look(0.75 if above else 0.95, leading=studio.body.leading)
    font, size = flow.font(look), flow.sheet.px(look.size)
    text = label if above else f"{label}:"
    block = flow.sheet.block(Block("paragraph"))
    baseline = flow.y + round(size * (look.leading + 0.6) / 2)
    flow.sheet.print_line(block, text.split(), font, left, baseline, gap=advance(font, " "))
    if above:
        flow.y += flow.pitch(look)
        return 0
    return max(width * 0.35, advance(font, text) + size)


def _answer(studio: Studio, flow: Flow, left: float, width: float) -> None:
    """Fill a field in by hand, if there is a font for it, or by machine."""
    size = round(flow.sheet.px(studio.body.size) * 1.05)
    hands = handwritten()
    family = studio.chance.choice(hands) if hands and studio.likely(0.5) else studio.body.family
    font = face(family, "regular", size)
    text = studio.wording.pick("answer")
    if advance(font, text) < width - size:
        baseline = flow.y + round(flow.pitch(studio.body) * 0.8)
        block = flow.sheet.block(Block("paragraph"))
        flow.sheet.print_line(block, text.split(), font, left + size * 0.4, baseline, gap=advance(font, " "), ink=PEN)


def _choices(studio: Studio, flow: Flow) -> None:
    """Print a question and boxes to tick, in a row or below each other."""
    flow.write(studio.wording.pick("question"), studio.look(after=0.3))
    look = studio.look()
    font, size = flow.font(look), flow.sheet.px(look.size)
    in_row, left = studio.likely(0.5), float(flow.frame.left)
    for choice in studio.wording.some("choice", studio.chance.randint(2, 4)):
        shapes.tick_box(flow.sheet, left, flow.y + size * 0.15, size * 0.85, studio.likely(0.4))
        block = flow.sheet.block(Block("list_item" if not in_row else "paragraph"))
        baseline = flow.y + round(size * (look.leading + 0.6) / 2)
        flow.sheet.print_line(block, choice.split(), font, left + size * 1.3, baseline, gap=advance(font, " "))
        if in_row:
            left += size * 3.5 + advance(font, choice)
        else:
            flow.y += round(flow.pitch(look) * 1.1)
    flow.y += flow.pitch(look) * (2 if in_row else 1)


def _table(studio: Studio, flow: Flow) -> None:
    """Print a grid with heads, some rows of which are filled in."""
    wording = studio.wording
    heads = [part.strip() for part in wording.pick("table").split(";")]
    rows = [heads]
    for number in range(1, studio.chance.randint(3, 6)):
        filled = [wording.fill("{person}"), wording.fill("{date}"), wording.fill("{amount}")]
        rows.append([str(number), *(filled if studio.likely(0.5) else ["", "", ""])])
    columns = (Column(0.1), Column(0.4), Column(0.27), Column(0.23, "right"))
    look = TableLook("grid", replace(studio.look(0.9)), 0.5)
    print_table(studio, flow, rows, columns, look)
