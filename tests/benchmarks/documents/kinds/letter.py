"""Lay out letters: of firms and of people, with the sender at the left, at the right or in the middle."""

from dataclasses import replace

from tests.benchmarks.documents.flow import Flow
from tests.benchmarks.documents.sheet import FOOT
from tests.benchmarks.documents.studio import Studio


def compose(studio: Studio) -> None:
    chance, wording = studio.chance, studio.wording
    business = studio.likely(0.65)
    sender = wording.pick("firm") if business else wording.fill("{person}")
    flow = studio.flow()
    letterhead(studio, flow, sender, business)
    recipient(studio, flow)
    where = wording.fill("{city}, {date}") if studio.likely(0.6) else wording.fill("{date}")
    flow.write(where, studio.look(align=chance.choice(("right", "right", "left")), after=1.5))
    if studio.likely(0.75):
        flow.write(wording.pick("subject"), studio.look(chance.choice((1, 1.1)), "bold", after=1.2), "heading", 2)
    flow.write(wording.pick("greeting"), studio.look(after=0.8))
    body = replace(studio.look(after=0.7), align=chance.choice(("left", "left", "justify")))
    for _ in range(chance.randint(2, 5)):
        flow.write(" ".join(wording.some("sentence", chance.randint(2, 4))), body)
    _close(studio, flow, sender)
    if business and studio.likely(0.7):
        bank_footer(studio)


def letterhead(studio: Studio, flow: Flow, sender: str, business: bool) -> None:
    """Print name and address of the sender."""
    align = studio.chance.choice(("left", "right", "center"))
    wording = studio.wording
    large = studio.chance.uniform(1.3, 2.2) if business else 1.0
    flow.write(sender, studio.look(large, "bold" if business else "regular", align=align, after=0.1))
    address = wording.fill("{street} {small}"), wording.fill("{count}00 {city}")
    small = studio.look(0.9, align=align, after=0)
    flow.write_lines(address if studio.likely(0.5) else (" · ".join(address),), small)
    flow.skip(studio.chance.uniform(14, 40))


def recipient(studio: Studio, flow: Flow) -> None:
    look = studio.look(after=0)
    lines = ["{firm}", "{person}", "{street} {small}", "{count}00 {city}"]
    shown = lines if studio.likely(0.5) else lines[1:]
    flow.write_lines([studio.wording.fill(line) for line in shown], look)
    flow.skip(studio.chance.uniform(14, 36))


def _close(studio: Studio, flow: Flow, sender: str) -> None:
    flow.skip(6)
    flow.write(studio.wording.pick("closing"), studio.look(after=studio.chance.choice((1.5, 2.5))))
    flow.write(studio.wording.fill("{person}"), studio.look(style=studio.chance.choice(("regular", "italic")), after=0))
    if studio.likely(0.5):
        flow.write(studio.wording.pick("title"), studio.look(0.9, after=1.2))
    if studio.likely(0.4):
        flow.skip(8)
        flow.write(studio.wording.pick("enclosed"), studio.look(0.9))


def bank_footer(studio: Studio) -> None:
    """Print three short columns at the foot of the sheet."""
    wording, width = studio.wording, studio.inner_pt / 3
    small = studio.look(0.7, leading=1.2, after=0)
    columns = (
        ("{firm}", "{street} {small}", "{city}"),
        ("Tel. 0{count} {count}{count}", "info@{city}.example"),
        ("IBAN", "{iban}"),
    )
    for number, lines in enumerate(columns):
        flow = studio.at(studio.margins[0] + number * width, studio.height_pt - 52, width - 6, part=FOOT)
        flow.write_lines([wording.fill(line) for line in lines], small, "footer")
