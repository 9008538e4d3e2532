"""Lay out a page of running text in columns, as in newspapers, magazines and books."""

from dataclasses import dataclass, replace

from tests.benchmarks.documents import shapes
from tests.benchmarks.documents.flow import Flow, Frame, Look
from tests.benchmarks.documents.sheet import NOTES, Block
from tests.benchmarks.documents.studio import Studio

SIDE_NOTE_SHARE = 0.2
MIN_GUTTER_EM = 1.2


@dataclass
class Figure:
    """Names where a figure across two columns stands, and what follows it in reading order."""

    frame: Frame
    before_frame: int


def compose(studio: Studio) -> None:
    """Fill a page with headings, paragraphs, lists, figures, boxed text, footnotes and side notes."""
    studio.furniture()
    columns = studio.columns or studio.chance.choice((1, 1, 2, 2, 2, 3, 3, 4))
    studio.body = _type(studio, columns)
    area = studio.content
    noted = columns == 1 and studio.likely(0.5)
    if noted:
        area = _without_margin(area, studio)
    top = studio.flow(area)
    if studio.likely(0.6 if columns == 1 else 0.85):
        _headline(studio, top)
    area = Frame(area.left, top.y, area.width, round((area.bottom - top.y) * studio.chance.uniform(0.75, 1)))
    frames = _frames(studio, area, columns)
    wide = _wide_figure(studio, frames) if columns > 1 and studio.likely(0.35) else None
    notes = _footnotes(studio, frames)
    flow = studio.flow(*frames)
    flow.notes = notes
    _fill(studio, flow, wide, noted)


def _type(studio: Studio, columns: int) -> Look:
    """Choose the look of the text: smaller in more columns, justified with hyphens or ragged."""
    chance = studio.chance
    size = {1: (9.5, 12), 2: (8.5, 11), 3: (7.5, 9.5), 4: (7, 8.5)}.get(columns, (7, 8))
    indent = chance.choice((0, 0, 1.0, 1.5))
    return replace(
        studio.body,
        size=chance.uniform(*size),
        align=chance.choice(("justify", "justify", "left")),
        hyphens=studio.likely(0.75),
        first_indent=indent,
        after=0 if indent else studio.body.after,
    )


def _headline(studio: Studio, top: Flow) -> None:
    look = studio.look(studio.chance.uniform(1.8, 3.2), "bold", leading=1.15, after=0.3)
    look = replace(look, align=studio.chance.choice(("left", "left", "center")))
    top.write(studio.wording.pick("headline"), look, "heading", 1)
    if studio.likely(0.4):
        top.write(studio.wording.fill("{first_name} {last_name}"), studio.look(1, "italic", align=look.align))
    top.skip(6)


def _without_margin(area: Frame, studio: Studio) -> Frame:
    """Leave a fifth of the width free for side notes, at the left or at the right."""
    free = round(area.width * SIDE_NOTE_SHARE)
    left = area.left + (free if studio.likely(0.5) else 0)
    return Frame(left, area.top, area.width - free, area.height)


def _frames(studio: Studio, area: Frame, columns: int) -> list[Frame]:
    chance = studio.chance
    gutter = studio.sheet.px(studio.body.size * chance.choice((MIN_GUTTER_EM, 1.5, 2, 3)))
    shares = [1.0] * columns
    if columns in (2, 3) and studio.likely(0.3):
        shares[chance.randrange(columns)] = chance.uniform(1.4, 2)
    free = area.width - gutter * (columns - 1)
    frames, left = [], float(area.left)
    lined = studio.likely(0.2)
    for number, share in enumerate(shares):
        width = free * share / sum(shares)
        frames.append(Frame(round(left), area.top, round(width), area.height))
        left += width + gutter
        if lined and number < columns - 1:
            middle = round(left - gutter / 2)
            ends = (middle, area.top, middle, area.bottom)
            studio.sheet.draw.line(ends, fill=(130, 130, 130), width=studio.sheet.stroke(0.5))
    return frames


def _wide_figure(studio: Studio, frames: list[Frame]) -> Figure:
    """Make place for a figure across two columns, at their top or bottom; it is read before or after both."""
    at = studio.chance.randrange(len(frames) - 1)
    one, two = frames[at], frames[at + 1]
    high = round(one.height * studio.chance.uniform(0.2, 0.35))
    gap = studio.sheet.px(studio.body.size)
    up = studio.likely(0.5)
    for number, frame in ((at, one), (at + 1, two)):
        top = frame.top + high + gap if up else frame.top
        frames[number] = Frame(frame.left, top, frame.width, frame.height - high - gap)
    top = one.top if up else one.bottom - high
    return Figure(Frame(one.left, top, two.right - one.left, high), at if up else at + 2)


def _footnotes(studio: Studio, frames: list[Frame]) -> dict[int, list[str]]:
    """Print footnotes at the feet of some columns, under a short rule, and return their numbers by column."""
    numbers: dict[int, list[str]] = {}
    if not studio.likely(0.45):
        return numbers
    small = studio.look(0.78, leading=1.15, after=0.1)
    count = 0
    for at, frame in enumerate(frames):
        if studio.likely(0.4) or frame.height < studio.sheet.px(200):
            continue
        many = studio.chance.randint(1, 3)
        high = round(studio.sheet.px(small.size) * 1.15 * 3.2 * many) + studio.sheet.px(10)
        flow = studio.flow(Frame(frame.left, frame.bottom - high, frame.width, high + studio.sheet.px(8)))
        flow.part = NOTES
        flow.skip(3)
        studio.rule(flow, 0.3)
        numbers[at] = [str(count + number + 1) for number in range(many)]
        for number in numbers[at]:
            flow.write(f"{number} {studio.wording.pick('footnote')}", small, "footnote")
        count += many
        frames[at] = Frame(frame.left, frame.top, frame.width, frame.height - high)
    return numbers


def _fill(studio: Studio, flow: Flow, wide: Figure | None, noted: bool) -> None:
    """Print one piece after another until the columns are full."""
    drawn = False
    while not flow.full:
        _piece(studio, flow, noted)
        if wide and not drawn and flow.index >= wide.before_frame:
            drawn = True
            _draw_wide(studio, flow, wide)


def _draw_wide(studio: Studio, flow: Flow, wide: Figure) -> None:
    """Draw a figure and put its caption into the order before all that is printed in the column that follows."""
    before = len(flow.sheet.blocks)
    frame = wide.frame
    line = studio.sheet.px(studio.body.size * 3)
    shapes.figure(studio.sheet, Frame(frame.left, frame.top, frame.width, frame.height - line), studio.chance)
    low = studio.flow(Frame(frame.left, frame.bottom - line + line // 5, frame.width, line))
    low.write(studio.wording.pick("caption"), studio.look(0.85, "italic", leading=1.15), "caption")
    edge = flow.sheet.blocks[before:]
    del flow.sheet.blocks[before:]
    at = _first_at(flow, wide.before_frame)
    flow.sheet.blocks[at:at] = edge


def _first_at(flow: Flow, index: int) -> int:
    """Return the place of the first block that is printed in a column."""
    blocks = flow.sheet.blocks
    if index >= len(flow.frames):
        return len(blocks)
    left = flow.frames[index].left
    for at, block in enumerate(blocks):
        if block.part == flow.part and block.type not in ("heading",) and _left_of(block) >= left - 2:
            return at
    return len(blocks)


def _left_of(block: Block) -> float:
    return min((box[0][0] for line in block.lines for _, box in line.words), default=-1)


def _piece(studio: Studio, flow: Flow, noted: bool) -> None:
    """Print a heading, a list, a figure, boxed text, or most often a paragraph."""
    chance, wording = studio.chance, studio.wording
    fate = chance.random()
    if fate < 0.13:
        _heading(studio, flow)
    elif fate < 0.2:
        _list(studio, flow)
    elif fate < 0.27:
        _figure(studio, flow)
    elif fate < 0.32:
        _boxed(studio, flow)
    elif noted and fate < 0.5:
        _beside(studio, flow)
    else:
        flow.write(wording.paragraph(chance.randint(2, 6)), studio.body)


def _heading(studio: Studio, flow: Flow) -> None:
    level = studio.chance.choice((2, 2, 3))
    look = studio.look(1.3 if level == 2 else 1.08, "bold", leading=1.2, after=0.35)
    if flow.y > flow.frame.top:
        flow.skip(studio.body.size * 0.7)
    if flow.reserve(flow.pitch(look) * 2 + flow.pitch(studio.body) * 3):
        flow.write(studio.wording.pick("heading"), look, "heading", level)
        flow.write(studio.wording.paragraph(studio.chance.randint(2, 4)), studio.body)


def _list(studio: Studio, flow: Flow) -> None:
    numbered = studio.likely(0.5)
    look = replace(studio.look(indent=1.8, after=0.1), hyphens=studio.body.hyphens)
    for number in range(1, studio.chance.randint(3, 6)):
        flow.write(studio.wording.pick("item"), look, "list_item", marker=f"{number}." if numbered else "•")
    flow.skip(studio.body.size * 0.5)


def _figure(studio: Studio, flow: Flow) -> None:
    high = round(flow.frame.width * studio.chance.uniform(0.4, 0.7))
    room = high + studio.sheet.px(studio.body.size * 5)
    if flow.left_px < room:
        return
    frame = flow.frame
    flow.skip(4)
    shapes.figure(studio.sheet, Frame(frame.left, flow.y, frame.width, high), studio.chance)
    flow.y += high
    flow.skip(3)
    flow.write(studio.wording.pick("caption"), studio.look(0.85, "italic", leading=1.15, after=0.8), "caption")


def _boxed(studio: Studio, flow: Flow) -> None:
    """Print a heading and a paragraph in a box, if there is place for it."""
    inset, frame = studio.sheet.px(6), flow.frame
    if flow.left_px < studio.sheet.px(studio.body.size * 22):
        return
    flow.skip(4)
    top = flow.y
    draft = studio.flow(Frame(frame.left + inset, top + inset, frame.width - 2 * inset, frame.bottom - top - 2 * inset))
    text = studio.look(0.95, after=0.2)
    before = studio.sheet.image.copy()
    blocks, state = len(studio.sheet.blocks), studio.chance.getstate()
    for final in (False, True):
        draft.y, draft.index = top + inset, 0
        studio.chance.setstate(state)
        draft.write(studio.wording.pick("heading"), replace(text, style="bold"), "heading", 3)
        draft.write(studio.wording.paragraph(2), text)
        bottom = min(draft.y + inset, frame.bottom)
        if not final:
            studio.sheet.image.paste(before)
            del studio.sheet.blocks[blocks:]
            shade = (255, 255, 255) if studio.likely(0.5) else (228, 228, 228)
            shapes.box(studio.sheet, frame.left, top, frame.right, bottom, fill=shade)
    flow.y = bottom + studio.sheet.px(studio.body.size * 0.8)


def _beside(studio: Studio, flow: Flow) -> None:
    """Print a paragraph with a note in the margin; the note is read after it."""
    area, frame, sheet = studio.content, flow.frame, studio.sheet
    if flow.left_px < flow.pitch(studio.body) * 6:
        return
    top, gap = flow.y, sheet.px(9)
    flow.write(studio.wording.paragraph(3), studio.body)
    at_left = frame.left > area.left
    left = area.left if at_left else frame.right + gap
    width = frame.left - gap - area.left if at_left else area.right - left
    note = studio.flow(Frame(left, top, width, max(0, flow.y - top)))
    note.write(studio.wording.pick("side_note"), studio.look(0.75, "italic", leading=1.1), "side_note")
