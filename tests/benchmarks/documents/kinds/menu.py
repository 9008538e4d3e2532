"""Lay out menus of restaurants: dishes with prices at the right or behind them."""

from tests.benchmarks.documents.sheet import Block
from tests.benchmarks.documents.studio import Studio
from tests.benchmarks.documents.tables import Column, print_row


def compose(studio: Studio) -> None:
    chance, wording = studio.chance, studio.wording
    flow = studio.flow()
    flow.write(
        wording.pick("title"), studio.look(chance.uniform(2, 3.2), "bold", align="center", after=1), "heading", 1
    )
    centered = studio.likely(0.4)
    head = studio.look(1.4, chance.choice(("bold", "italic")), align="center" if centered else "left", after=0.4)
    for name in wording.some("section", chance.randint(3, 5)):
        if not flow.reserve(studio.sheet.px(90)):
            return
        flow.write(name, head, "heading", 2)
        block = flow.sheet.block(Block("paragraph" if centered else "table"))
        for dish in wording.some("sentence", chance.randint(3, 6)):
            price = wording.amount(chance.randint(30, 340) * 10)
            if centered:
                flow.write(f"{dish} {price}", studio.look(align="center", after=0.2))
            elif flow.left_px > flow.pitch(studio.body):
                print_row(flow, block, (dish, price), (Column(0.8), Column(0.2, "right")), studio.look())
        flow.skip(14)
    flow.write(wording.pick("note"), studio.look(0.85, "italic", align="center"))
