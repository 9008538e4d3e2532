"""Operations on whole pages: turn them upright, and put their lines in order."""

from collections.abc import Mapping, Sequence
from functools import cache

from inference.core.contracts import Json, PageInput, Quad, TextLine
from inference.layout.boxes import Box, PageLine
from inference.layout.page_layout import PageLayout, lay_out
from inference.layout.plain import plain_layout
from inference.layout.roles import Block
from inference.pictures.righting import Righting
from inference.pipelines.operations.operation import POSTPROCESS, PREPROCESS, Operation, always
from inference.pipelines.operations.values import BOOLEAN, JSON, LINES, NUMBER, PAGE, TEXT, Value, object_of, quad_of

MARGIN_BESIDE, MARGIN_ABOVE = 0.25, 0.15
"""The margins of a recognized line around its print, as shares of the height of its box."""

Values = Mapping[str, Value]
Settings = Mapping[str, Json]


def _upright_page(inputs: Values, settings: Settings) -> Value:
    page: PageInput = inputs["page"]
    righting = Righting(
        page.width_px, page.height_px, int(inputs["rotation"]), float(inputs["angle"]), _sheet(inputs["sheet"])
    )
    if righting.changes_nothing or page.load_pixels is None:
        return page
    load, (width, height) = page.load_pixels, righting.shown_size
    return PageInput(page.number, width, height, None, cache(lambda: righting.apply(load())))


def _sheet(corners: Json) -> Quad | None:
    return None if corners is None else quad_of(corners)


def _layout(inputs: Values, settings: Settings) -> Value:
    lines: Sequence[TextLine] = inputs["lines"]
    if any(line.box is None for line in lines):
        plain = plain_layout([line.text for line in lines])
        return {"text": plain.text, "lines": tuple(lines), "blocks": plain.blocks, "certainty": 1.0}
    placed = [PageLine(index, line.text, _print_box(line)) for index, line in enumerate(lines)]
    found = lay_out(placed, float(inputs["height"]))
    return {
        "text": found.text,
        "lines": tuple(lines[index] for index in found.order),
        "blocks": _blocks(found),
        "certainty": found.certainty,
    }


def _print_box(line: TextLine) -> Box:
    """Return the box of the print. A recognized line was cut out of the picture with a margin around it."""
    box = Box.of_corners(line.box or ())
    if line.confidence is None or line.confidence == 1.0:
        return box
    beside, above = MARGIN_BESIDE * box.height, MARGIN_ABOVE * box.height
    if box.width <= 2 * beside:
        return box
    return Box(box.left + beside, box.top + above, box.right - beside, box.bottom - above)


def _blocks(layout: PageLayout) -> list[Json]:
    """Return the blocks as an answer contains them. Their lines are numbered in reading order."""
    blocks, number = [], 0
    for block in layout.blocks:
        count = sum(len(row.lines) for row in block.paragraph.rows)
        blocks.append(_block(block, list(range(number, number + count))))
        number += count
    return blocks


def _block(block: Block, lines: list[int]) -> Json:
    corners = [[round(x, 1), round(y, 1)] for x, y in block.paragraph.box.corners()]
    level = {} if block.level is None else {"level": block.level}
    return {"type": block.type, **level, "box": corners, "lines": lines}


def _way_up(inputs: Values, settings: Settings) -> Value:
    """Return the turn of the page after its lines were looked at."""
    rotation = int(inputs["rotation"])
    return (rotation + 180) % 360 if inputs["upside_down"] else rotation


UPRIGHT_PAGE = Operation(
    "upright_page",
    PREPROCESS,
    gives=always(PAGE),
    run=_upright_page,
    takes={"page": PAGE, "rotation": NUMBER, "angle": NUMBER, "sheet": JSON},
    looks_at_picture=True,
)

WAY_UP = Operation(
    "way_up",
    POSTPROCESS,
    gives=always(NUMBER),
    run=_way_up,
    takes={"rotation": NUMBER, "upside_down": BOOLEAN},
)

LAYOUT = Operation(
    "layout",
    POSTPROCESS,
    gives=always(object_of({"text": TEXT, "lines": LINES, "blocks": JSON, "certainty": NUMBER})),
    run=_layout,
    takes={"lines": LINES, "height": NUMBER},
)
