"""Lay out reports: numbered sections, findings, tables and charts, in one or two columns."""

from dataclasses import replace

from tests.benchmarks.documents import shapes
from tests.benchmarks.documents.flow import Flow, Frame
from tests.benchmarks.documents.kinds.contract import text_columns
from tests.benchmarks.documents.studio import Studio
from tests.benchmarks.documents.tables import Column, print_table, random_look


def compose(studio: Studio) -> None:
    chance, wording = studio.chance, studio.wording
    studio.furniture(header=0.6, footer=0.4, number=0.85)
    top = studio.flow()
    first = studio.likely(0.7)
    if first:
        align = chance.choice(("left", "left", "center"))
        top.write(wording.pick("title"), studio.look(chance.uniform(1.6, 2.6), "bold", align=align), "heading", 1)
        top.write(wording.pick("by"), studio.look(0.95, "italic", align=align, after=1.2))
    flow = text_columns(studio, top)
    indent = chance.choice((0, 0, 1.2))
    studio.body = replace(
        studio.body, align=chance.choice(("left", "justify")), hyphens=studio.likely(0.4), first_indent=indent
    )
    numbered, number = studio.likely(0.6), 1 if first else chance.randint(2, 7)
    names = wording.some("section", 10)
    while not flow.full and names:
        _section(studio, flow, f"{number}. {names.pop()}" if numbered else names.pop())
        number += 1


def _section(studio: Studio, flow: Flow, name: str) -> None:
    chance, wording = studio.chance, studio.wording
    head = studio.look(1.25, "bold", after=0.4)
    if not flow.reserve(flow.pitch(head) + 3 * flow.pitch(studio.body)):
        return
    flow.write(name, head, "heading", 2)
    for _ in range(chance.randint(1, 3)):
        flow.write(" ".join(wording.some("sentence", chance.randint(2, 5))), studio.body)
    extra = chance.random()
    if extra < 0.25:
        for finding in wording.some("finding", chance.randint(2, 4)):
            flow.write(finding, studio.look(indent=1.8, after=0.1), "list_item", marker=chance.choice("•–"))
    elif extra < 0.5:
        _table(studio, flow)
    elif extra < 0.7:
        _chart(studio, flow)
    flow.skip(8)


def _table(studio: Studio, flow: Flow) -> None:
    chance, wording = studio.chance, studio.wording
    if flow.left_px < studio.sheet.px(130):
        return
    flow.write(wording.pick("table_caption"), studio.look(0.9, "italic", after=0.3), "caption")
    rows = [[part.strip() for part in wording.pick("columns").split(";")]]
    for name in wording.some("city", chance.randint(3, 6)):
        rows.append(
            [name, *(wording.fill("{count}") for _ in range(2)), f"{chance.choice('+–')}{chance.randint(1, 40)} %"]
        )
    columns = (Column(0.34), Column(0.22, "right"), Column(0.22, "right"), Column(0.22, "right"))
    print_table(studio, flow, rows, columns, random_look(studio))


def _chart(studio: Studio, flow: Flow) -> None:
    frame = flow.frame
    high = round(min(frame.width * 0.5, studio.sheet.px(150)))
    if flow.left_px < high + studio.sheet.px(50):
        return
    flow.skip(4)
    draw = studio.chance.choice((shapes.bars, shapes.curve))
    draw(studio.sheet, Frame(frame.left, flow.y, frame.width, high), studio.chance)
    flow.y += high
    flow.skip(4)
    flow.write(studio.wording.pick("caption"), studio.look(0.85, "italic", after=0.8), "caption")
