"""The blocks of a page as a person reads them: headings, paragraphs, tables. This module makes no queries."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median
from typing import Any

from jobs.dashboard.reading.lines import LineView
from jobs.dashboard.reading.tables import TableView
from jobs.results.pictures.turns import Corners

KINDS = {
    "heading": "Heading",
    "paragraph": "Paragraph",
    "list_item": "List item",
    "table": "Table",
    "rows": "Rows",
    "header": "Page header",
    "footer": "Page footer",
    "page_number": "Page number",
    "caption": "Caption",
    "footnote": "Footnote",
    "side_note": "Side note",
}
LOOSE = "loose"
"""The kind of lines that no block contains. They are shown one below the other, as they were printed."""
_MAX_LEVEL = 3
_FULL = 0.6
"""The share of the width of the page's text. A line that ends before it was ended on purpose."""
_NARROW = 15.0
"""A multiple of the lines' usual height. A narrower block is no running text."""
_OVERLAP = 0.5
"""The share of the smaller height. Lines of a table that overlap by more are in one row."""


@dataclass(frozen=True)
class BlockView:
    kind: str
    level: int
    """The level of a heading, from 1 to 3. It is 0 for other blocks."""
    rows: Sequence[Sequence[LineView]]
    """The rows of a table without cells. Other blocks have one row with all lines."""
    table: TableView | None = None
    """The table with its cells, which stand in the place of its lines."""

    @property
    def name(self) -> str:
        return KINDS.get(self.kind, "")


@dataclass(frozen=True)
class TextPart:
    """A table, or the blocks between two tables, whose lines are one list."""

    table: TableView | None
    blocks: Sequence[BlockView]


def text_parts(blocks: Sequence[BlockView]) -> list[TextPart]:
    """Return the blocks in parts: each table is one."""
    found: list[TextPart] = []
    for _, group in groupby(blocks, lambda block: block.table is not None):
        run = list(group)
        found += [TextPart(block.table, ()) for block in run] if run[0].table else [TextPart(None, run)]
    return found


def block_views(
    result: Mapping[str, Any], lines: Sequence[LineView], tables: Sequence[TableView] = ()
) -> list[BlockView]:
    """Return the blocks in reading order, with these tables. Each line is in exactly one, whatever the result says."""
    given = result.get("blocks")
    left = {line.index: line for line in lines}
    full_right = _full_right(lines)
    by_index = {table.index: table for table in tables if table.in_text}
    found: list[BlockView] = []
    for block in given if isinstance(given, list) else []:
        own = list(_taken(block, left))
        table = by_index.pop(block.get("table"), None) if own and block.get("type") == "table" else None
        if table is not None:
            found.append(BlockView("table", 0, (), table))
        elif own:
            found.append(_block(block, own, full_right))
    if left:
        found.append(BlockView(LOOSE, 0, [list(left.values())]))
    return found


def _taken(block: object, left: dict[int, LineView]) -> Iterator[LineView]:
    indexes = block.get("lines") if isinstance(block, Mapping) else None
    for index in indexes if isinstance(indexes, list) else []:
        line = left.pop(index, None) if isinstance(index, int) else None
        if line is not None:
            yield line


def _full_right(lines: Sequence[LineView]) -> float:
    """Return where a full line ends at least. Lines that end before it were ended on purpose."""
    across = [x for line in lines for x, _ in line.box or ()]
    return min(across) + _FULL * (max(across) - min(across)) if across else 0.0


def _block(block: Mapping[str, Any], lines: list[LineView], full_right: float) -> BlockView:
    given = block.get("type")
    kind = given if isinstance(given, str) and given in KINDS else "paragraph"
    if kind in ("table", "rows"):
        return BlockView(kind, 0, _rows(lines))
    level = block.get("level", 1) if kind == "heading" else 0
    usual = isinstance(level, int) and 0 <= level <= _MAX_LEVEL
    return BlockView(kind, int(level) if usual else _MAX_LEVEL, [_joined(lines, full_right)])


def _joined(lines: Sequence[LineView], full_right: float) -> list[LineView]:
    """Mark the lines that a hyphen joins with the next, and those that were ended on purpose."""
    full_right = math.inf if _is_narrow(lines) else full_right
    return [
        _run_on(line) if _runs_on(line, after) else replace(line, ends_early=_ends(line) < full_right)
        for line, after in pairwise([*lines, None])
        if line is not None
    ]


def _run_on(line: LineView) -> LineView:
    """Return a line whose last hyphen is not shown, because the text goes on without it."""
    *others, last = line.parts
    return replace(line, runs_on=True, parts=[*others, replace(last, text=last.text[:-1])])


def _is_narrow(lines: Sequence[LineView]) -> bool:
    """Return whether the block is too narrow for running text, as an address or a sum is."""
    boxes = [line.box for line in lines if line.box is not None]
    if len(boxes) < 2 or len(boxes) < len(lines):
        return False
    across = [x for box in boxes for x, _ in box]
    usual_height = median(bottom - top for top, bottom in map(_extent, boxes))
    return max(across) - min(across) < _NARROW * usual_height


def _runs_on(line: LineView, after: LineView | None) -> bool:
    return after is not None and len(line.text) > 1 and line.text.endswith("-") and after.text[:1].islower()


def _ends(line: LineView) -> float:
    """Return where a line ends. A line without a position is a full one."""
    return max(x for x, _ in line.box) if line.box else math.inf


def _rows(lines: Sequence[LineView]) -> list[list[LineView]]:
    rows: list[list[LineView]] = []
    for line in lines:
        if rows and _beside(rows[-1][-1].box, line.box):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _beside(one: Corners | None, other: Corners | None) -> bool:
    if one is None or other is None:
        return False
    (top, bottom), (other_top, other_bottom) = _extent(one), _extent(other)
    shared = min(bottom, other_bottom) - max(top, other_top)
    return shared > _OVERLAP * min(bottom - top, other_bottom - other_top)


def _extent(box: Corners) -> tuple[float, float]:
    heights = [y for _, y in box]
    return min(heights), max(heights)
