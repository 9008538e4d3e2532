"""Lay out poems: verses at the left or in the middle."""

from tests.benchmarks.documents.studio import Studio


def compose(studio: Studio) -> None:
    chance, wording = studio.chance, studio.wording
    studio.furniture(header=0.3, footer=0.1, number=0.6)
    align = chance.choice(("left", "left", "center"))
    flow = studio.flow()
    title = studio.look(chance.uniform(1.3, 2), "bold", align=align, after=0.4)
    flow.write(wording.pick("title"), title, "heading", 1)
    flow.write(wording.fill("{person}"), studio.look(style="italic", align=align, after=1.5))
    verse = studio.look(chance.uniform(1, 1.2), chance.choice(("regular", "italic")), align=align, after=1)
    for _ in range(chance.randint(2, 5)):
        flow.write_lines(wording.some("sentence", chance.choice((3, 4, 4, 6))), verse)
