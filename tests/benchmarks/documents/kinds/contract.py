"""Lay out contracts: title, parties, numbered clauses, and lines for the signatures."""

from dataclasses import replace

from tests.benchmarks.documents.flow import Flow, Frame
from tests.benchmarks.documents.studio import Studio


def compose(studio: Studio) -> None:
    chance, wording = studio.chance, studio.wording
    studio.furniture(header=0.3, footer=0.3, number=0.8)
    top = studio.flow()
    middle = chance.choice(("center", "center", "left"))
    start = studio.likely(0.75)
    if start:
        title = studio.look(chance.uniform(1.4, 2.2), "bold", align=middle, after=0.8)
        top.write(wording.pick("title"), title, "heading", 1)
        for part in ("between", "and", "recital"):
            top.write(wording.pick(part), studio.look(align=middle if part != "recital" else "left", after=0.7))
    flow = text_columns(studio, top)
    _clauses(studio, flow)
    if studio.likely(0.7) and not flow.full and flow.left_px > studio.sheet.px(70):
        _signatures(studio, flow)


def text_columns(studio: Studio, top: Flow) -> Flow:
    columns = studio.columns or studio.chance.choice((1, 1, 1, 2))
    area = studio.content
    gutter = studio.sheet.px(studio.body.size * 2)
    width = (area.width - gutter * (columns - 1)) // columns
    lefts = [area.left + number * (width + gutter) for number in range(columns)]
    return studio.flow(*[Frame(left, top.y, width, area.bottom - top.y) for left in lefts])


def _clauses(studio: Studio, flow: Flow) -> None:
    """Print clauses under headings like "§ 3 Liability", or numbered "3.1" without headings of their own."""
    chance, wording = studio.chance, studio.wording
    mark = wording.pick("mark") + " " if studio.likely(0.75) else ""
    dot = "" if mark else "."
    body = replace(studio.look(after=0.5), align=chance.choice(("left", "justify")), hyphens=studio.likely(0.4))
    style, start = chance.randrange(3), chance.choice((1, 1, chance.randint(2, 9)))
    head = studio.look(1.1, "bold", align=chance.choice(("left", "center")) if mark else "left", after=0.3)
    heads = wording.some("clause", chance.randint(4, 9))
    for number, name in enumerate(heads, start):
        if not flow.reserve(flow.pitch(head) + 3 * flow.pitch(body)):
            return
        flow.write(f"{mark}{number}{dot} {name}", head, "heading", 2)
        sentences = wording.some("sentence", chance.randint(1, 4))
        if style == 0:
            flow.write(" ".join(sentences), body)
        for at, sentence in enumerate(sentences if style else [], 1):
            marker = f"({at})" if style == 1 else f"{number}.{at}"
            flow.write(sentence, replace(body, indent=2.2), "list_item", marker=marker)
        flow.skip(4)


def _signatures(studio: Studio, flow: Flow) -> None:
    wording, frame = studio.wording, flow.frame
    flow.skip(8)
    flow.write(wording.pick("place_date"), studio.look(after=2.5))
    y, width = flow.y, round(frame.width * 0.42)
    for name, left in zip(wording.some("signature", 2), (frame.left, frame.right - width), strict=True):
        ends = (left, y, left + width, y)
        flow.sheet.draw.line(ends, fill=(0, 0, 0), width=flow.sheet.stroke(0.6))
        studio.flow(Frame(left, y + studio.sheet.px(3), width, studio.sheet.px(40))).write(name, studio.look(0.8))
