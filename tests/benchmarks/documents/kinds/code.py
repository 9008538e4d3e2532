"""Lay out listings of source code, which are indented and in a font of fixed width."""

from dataclasses import replace

from tests.benchmarks.documents.fonts import fixed_width
from tests.benchmarks.documents.sheet import Block, advance
from tests.benchmarks.documents.studio import Studio


def compose(studio: Studio) -> None:
    chance, wording = studio.chance, studio.wording
    studio.furniture(header=0.4, footer=0.2, number=0.5)
    studio.body = replace(studio.body, family=chance.choice(fixed_width()), size=chance.uniform(8, 10))
    flow, look = studio.flow(), studio.look()
    font, size = flow.font(look), studio.sheet.px(look.size)
    numbered, number = studio.likely(0.4), 0
    while flow.left_px > flow.pitch(look) * 10:
        block = flow.sheet.block(Block("paragraph"))
        for line in wording.pick("sentence").split("~"):
            number += 1
            depth = len(line) - len(line.lstrip())
            words = [str(number), *line.split()] if numbered else line.split()
            start = flow.frame.left + advance(font, "m") * depth
            baseline = flow.y + round(size * (look.leading + 0.6) / 2)
            flow.sheet.print_line(block, words, font, start, baseline, gap=advance(font, " "))
            block.lines[-1].ends_row = True
            flow.y += flow.pitch(look)
        flow.y += flow.pitch(look)
