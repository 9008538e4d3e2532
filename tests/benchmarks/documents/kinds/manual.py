"""Lay out pages of manuals: steps, warnings in boxes, a table of data and a drawing."""

from tests.benchmarks.documents import shapes
from tests.benchmarks.documents.flow import Flow, Frame
from tests.benchmarks.documents.studio import Studio
from tests.benchmarks.documents.tables import Column, print_table, random_look


def compose(studio: Studio) -> None:
    chance, wording = studio.chance, studio.wording
    studio.furniture(header=0.5, footer=0.4, number=0.9)
    flow = studio.flow()
    flow.write(wording.pick("title"), studio.look(chance.uniform(1.5, 2.2), "bold", after=0.7), "heading", 1)
    chapter = chance.randint(1, 9)
    for number, name in enumerate(wording.some("section", chance.randint(2, 5)), 1):
        if not flow.reserve(studio.sheet.px(120)):
            return
        flow.write(f"{chapter}.{number} {name}", studio.look(1.25, "bold", after=0.4), "heading", 2)
        for at, step in enumerate(wording.some("sentence", chance.randint(2, 6)), 1):
            flow.write(step, studio.look(indent=1.8, after=0.2), "list_item", marker=f"{at}.")
        flow.skip(6)
        chance.choice((_warning, _data, _drawing, _warning))(studio, flow)


def _warning(studio: Studio, flow: Flow) -> None:
    frame, inset = flow.frame, studio.sheet.px(7)
    high = round(flow.pitch(studio.body) * 3.2) + 2 * inset
    if flow.left_px < high:
        return
    shapes.box(studio.sheet, frame.left, flow.y, frame.right, flow.y + high, fill=(240, 240, 240))
    inner = studio.flow(Frame(frame.left + inset, flow.y + inset, frame.width - 2 * inset, high - 2 * inset))
    inner.write(studio.wording.pick("alert"), studio.look(1, "bold", after=0.1), "heading", 3)
    inner.write(studio.wording.pick("warning"), studio.look(0.95))
    flow.y += high
    flow.skip(12)


def _data(studio: Studio, flow: Flow) -> None:
    rows = [[part.strip() for part in studio.wording.pick("columns").split(";")]]
    rows += [[part.strip() for part in row.split(";")] for row in studio.wording.some("row", 5)]
    print_table(studio, flow, rows, (Column(0.55), Column(0.45)), random_look(studio))


def _drawing(studio: Studio, flow: Flow) -> None:
    high = studio.sheet.px(90)
    if flow.left_px < high * 1.6:
        return
    frame = flow.frame
    shapes.figure(studio.sheet, Frame(frame.left, flow.y, frame.width // 2, high), studio.chance)
    flow.y += high
    flow.skip(3)
    flow.write(studio.wording.pick("caption"), studio.look(0.85, "italic", after=0.8), "caption")
