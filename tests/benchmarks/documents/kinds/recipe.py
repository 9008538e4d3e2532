"""Lay out recipes: ingredients beside or above the steps."""

from tests.benchmarks.documents import shapes
from tests.benchmarks.documents.flow import Flow, Frame
from tests.benchmarks.documents.studio import Studio


def compose(studio: Studio) -> None:
    chance, wording = studio.chance, studio.wording
    studio.furniture(header=0.2, footer=0.2, number=0.5)
    flow = studio.flow()
    flow.write(wording.pick("title"), studio.look(chance.uniform(1.6, 2.8), "bold"), "heading", 1)
    flow.write(wording.pick("intro"), studio.look(style="italic", after=1))
    frame = flow.frame
    if studio.likely(0.4):
        high = studio.sheet.px(chance.uniform(90, 170))
        shapes.photo(studio.sheet, Frame(frame.left, flow.y, frame.width, high), chance)
        flow.y += high
        flow.skip(12)
    if studio.likely(0.5):
        _ingredients(studio, flow)
        _steps(studio, flow)
        return
    part = round(frame.width * 0.32)
    rest = frame.bottom - flow.y
    _ingredients(studio, studio.flow(Frame(frame.left, flow.y, part, rest)))
    _steps(studio, studio.flow(Frame(frame.left + round(part * 1.12), flow.y, frame.width - round(part * 1.12), rest)))


def _ingredients(studio: Studio, flow: Flow) -> None:
    flow.write(studio.wording.pick("ingredients"), studio.look(1.2, "bold"), "heading", 2)
    bullet = studio.likely(0.5)
    for one in studio.wording.some("ingredient", studio.chance.randint(6, 11)):
        if bullet:
            flow.write(one, studio.look(indent=1.4, after=0.1), "list_item", marker="•")
        else:
            flow.write(one, studio.look(after=0.1), "list_item")
    flow.skip(10)


def _steps(studio: Studio, flow: Flow) -> None:
    flow.write(studio.wording.pick("steps"), studio.look(1.2, "bold"), "heading", 2)
    numbered = studio.likely(0.6)
    for number, step in enumerate(studio.wording.some("sentence", studio.chance.randint(5, 9)), 1):
        if numbered:
            flow.write(step, studio.look(indent=1.8, after=0.3), "list_item", marker=f"{number}.")
        else:
            flow.write(step, studio.look())
