"""Operations on whole pages: turn them upright, and put their lines in order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from inference.core import contracts
from inference.core.contracts import Findings, Json, PageInput, Point, Quad, TextLine
from inference.layout.boxes import MARGIN_ABOVE, Box, PageLine
from inference.layout.page_layout import PageLayout, PageTable, lay_out
from inference.layout.plain import plain_layout
from inference.layout.roles import Block
from inference.layout.turned_lines import direction_of, turn_of_lines, turned_around_origin
from inference.pictures.righting import Righting
from inference.pipelines.operations.operation import POSTPROCESS, PREPROCESS, Operation, always
from inference.pipelines.operations.values import BOOLEAN, JSON, LINES, NUMBER, PAGE, TEXT, Value, object_of, quad_of
from inference.tables.table import Table

MARGIN_BESIDE = 0.25
"""The margins of a recognized line beside its print, as a share of the height of its box."""
OTHER_DIRECTION = 10.0
"""The degrees from level from which on a line of the page's own text is laid out apart from level lines."""

Values = Mapping[str, Value]
Settings = Mapping[str, Json]


def _upright_page(inputs: Values, settings: Settings) -> Value:
    page: PageInput = inputs["page"]
    righting = Righting(
        page.width_px, page.height_px, int(inputs["rotation"]), float(inputs["angle"]), _sheet(inputs["sheet"])
    )
    if righting.changes_nothing or not page.width_px or (page.load_pixels is None and page.text_lines is None):
        return page
    load, (width, height) = page.load_pixels, righting.shown_size
    return PageInput(
        page.number,
        width,
        height,
        None if page.text_lines is None else tuple(_moved_line(line, righting) for line in page.text_lines),
        None if load is None else cache(lambda: righting.apply(load())),
        tuple(_moved_box(scan, righting) for scan in page.scans),
        tuple(_moved_box(rule, righting) for rule in page.rules),
        findings=_moved_findings(page.findings, righting),
    )


def _moved_findings(findings: Findings, righting: Righting) -> Findings:
    return Findings(
        tuple(replace(code, box=_moved_quad(code.box, righting)) for code in findings.codes),
        tuple(replace(tick, box=_moved_quad(tick.box, righting)) for tick in findings.tick_boxes),
        tuple(replace(value, box=_moved_quad(value.box, righting)) for value in findings.form_values),
    )


def _moved_line(line: TextLine, righting: Righting) -> TextLine:
    return line if line.box is None else replace(line, box=_moved_quad(line.box, righting))


def _moved_quad(corners: Quad, righting: Righting) -> Quad:
    return quad_of(_on_shown(corners, righting).tolist())


def _moved_box(box: contracts.Box, righting: Righting) -> contracts.Box:
    moved = _on_shown(Box(*box).corners(), righting)
    (left, top), (right, bottom) = moved.min(axis=0).tolist(), moved.max(axis=0).tolist()
    return left, top, right, bottom


def _on_shown(corners: Quad, righting: Righting) -> npt.NDArray[np.float64]:
    """Return corners as they lie on the upright picture, within its borders."""
    return np.clip(righting.on_shown(corners), 0, righting.shown_size).round(2)


def _turn_of_lines(inputs: Values, settings: Settings) -> Value:
    turn = turn_of_lines(inputs["lines"])
    return {"rotation": turn.rotation, "angle": turn.angle}


def _sheet(corners: Json) -> Quad | None:
    return None if corners is None else quad_of(corners)


def _layout(inputs: Values, settings: Settings) -> Value:
    lines: Sequence[TextLine] = inputs["lines"]
    if any(line.box is None for line in lines):
        plain = plain_layout([line.text for line in lines])
        return {"text": plain.text, "lines": tuple(lines), "blocks": plain.blocks, "certainty": 1.0}
    level = [index for index, line in enumerate(lines) if not _other_direction(line)]
    placed = [PageLine(index, lines[index].text, print_box(lines[index])) for index in level]
    found = lay_out(placed, float(inputs["height"]), [_page_table(table, placed) for table in inputs["tables"]])
    texts, order, blocks = [found.text], found.order, _blocks(found, 0, 0)
    for direction, turned in _turned(lines):
        aside = lay_out(turned, None)
        blocks += _blocks(aside, direction, len(order))
        texts.append(aside.text)
        order = [*order, *aside.order]
    return {
        "text": "\n\n".join(filter(None, texts)),
        "lines": tuple(lines[index] for index in order),
        "blocks": blocks,
        "certainty": found.certainty,
    }


def _page_table(table: Json, lines: Sequence[PageLine]) -> PageTable:
    found = Table.of_json(table)
    box = found.box or Box(0, 0, 0, 0)
    inside = (line.index for line in lines if box.holds(line.box))
    return PageTable(box, found.text(), frozenset(inside))


def _other_direction(line: TextLine) -> int:
    """Return the degrees clockwise in which a line of the page's own text runs, or 0 if it is nearly level.

    Lines that were recognized in an upright picture count as level: their boxes may lean where the print does not.
    """
    direction = direction_of(line.box) if line.box and line.confidence == 1.0 else 0.0
    return round(direction) if abs(direction) >= OTHER_DIRECTION else 0


def _turned(lines: Sequence[TextLine]) -> Iterator[tuple[int, list[PageLine]]]:
    """Yield lines that run in another direction than the page, such as a stamp, with their boxes turned level."""
    groups: dict[int, list[PageLine]] = {}
    for index, line in enumerate(lines):
        if line.box and (direction := _other_direction(line)):
            box = Box.of_corners(turned_around_origin(line.box, -direction))
            groups.setdefault(direction, []).append(PageLine(index, line.text, box))
    yield from sorted(groups.items())


def print_box(line: TextLine) -> Box:
    """Return the box of the print. A recognized line was cut out of the picture with a margin around it."""
    box = Box.of_corners(line.box or ())
    if line.confidence is None or line.confidence == 1.0:
        return box
    beside, above = MARGIN_BESIDE * box.height, MARGIN_ABOVE * box.height
    if box.width <= 2 * beside:
        return box
    return Box(box.left + beside, box.top + above, box.right - beside, box.bottom - above)


def _blocks(layout: PageLayout, direction: int, number: int) -> list[Json]:
    """Return the blocks as an answer contains them. Their lines are numbered in reading order, from `number` on."""
    blocks = []
    for block in layout.blocks:
        count = sum(len(row.lines) for row in block.paragraph.rows)
        blocks.append(_block(block, direction, list(range(number, number + count))))
        number += count
    return blocks


def _block(block: Block, direction: int, lines: list[int]) -> Json:
    """Return a block. What runs in another direction than the page is no part of its outline."""
    corners: Sequence[Point] = block.paragraph.box.corners()
    if direction:
        corners = turned_around_origin(corners, direction)
    box = [[round(x, 1), round(y, 1)] for x, y in corners]
    if direction and block.type != "rows":
        return {"type": "paragraph", "box": box, "lines": lines}
    level = {} if block.level is None else {"level": block.level}
    table = {} if block.table is None else {"table": block.table}
    return {"type": block.type, **level, **table, "box": box, "lines": lines}


def _way_up(inputs: Values, settings: Settings) -> Value:
    """Return the turn of the page after its lines were looked at."""
    rotation = int(inputs["rotation"])
    return (rotation + 180) % 360 if inputs["upside_down"] else rotation


UPRIGHT_PAGE = Operation(
    "upright_page",
    PREPROCESS,
    gives=always(PAGE),
    run=_upright_page,
    takes={"page": PAGE, "rotation": NUMBER, "angle": NUMBER, "sheet": replace(JSON, nullable=True)},
)

TURN_OF_LINES = Operation(
    "turn_of_lines",
    PREPROCESS,
    gives=always(object_of({"rotation": NUMBER, "angle": NUMBER})),
    run=_turn_of_lines,
    takes={"lines": LINES},
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
    takes={"lines": LINES, "height": NUMBER, "tables": JSON},
)
