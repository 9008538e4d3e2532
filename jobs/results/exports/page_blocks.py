"""Reads the blocks of a page from its result, each with its text. This module is pure.

An added model may return anything under these names. Blocks that make no sense count as none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from inference.core.contracts import Quad
from inference.layout.boxes import Box, PageLine
from inference.layout.paragraphs import Paragraph
from inference.layout.roles import LEVELS, Block
from inference.layout.rows import Row, gather_rows
from inference.layout.text import RUNNING, block_text, joined_rows
from inference.tables.table import Table
from jobs.results.exports.page_lines import Line, lines_of, one_line, text_of
from jobs.results.exports.paragraphs import paragraphs
from jobs.results.page_tables import sound_table
from jobs.results.pictures.turns import corners_of

AT_THE_EDGES = frozenset({"header", "footer", "page_number"})
"""The types of blocks that repeat on each page and belong to no sentence."""
TYPES = AT_THE_EDGES | RUNNING | {"table", "rows"}
MAX_PLACED = 2_000
"""The most lines of a block whose rows are found by their boxes."""
_LEFT_OUT = re.compile(r"[\s\-\u00ad\u2010]+")
"""Characters that differ between the lines of a block and its text."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    type: str
    text: str
    """The text. A line break parts two lines that do not run on, as in an address."""
    level: int = 1
    """The level of a heading, from 1."""
    box: Quad | None = None
    number: int | None = None
    """The position in the `blocks` of the result. It is None if the result has none for these lines."""
    cells: tuple[tuple[str, ...], ...] = ()
    """The rows of a table whose cells are not known better than by the positions of its lines."""
    table: Table | None = None
    """The table with its cells, if the result has it."""


def blocks_of(result: Mapping[str, object]) -> list[TextBlock]:
    """Return the blocks in reading order. A result without any gets paragraphs by the gaps between its lines."""
    lines = lines_of(result)
    found = marked_blocks(result, lines)
    return _from_gaps(lines, text_of(result)) if found is None else found


def body_of(blocks: Sequence[TextBlock]) -> list[TextBlock]:
    """Return what is read as the text of a page: without its edges, footnotes last."""
    body = [block for block in blocks if block.type not in AT_THE_EDGES]
    return sorted(body, key=lambda block: block.type == "footnote")


def with_letterhead(blocks: Sequence[TextBlock], page_number: int) -> list[TextBlock]:
    """Return the headers of a first page as paragraphs. They name the sender or the title, and stand nowhere before."""
    is_first = page_number == 1
    return [replace(block, type="paragraph") if is_first and block.type == "header" else block for block in blocks]


def tables_in_text(result: Mapping[str, object]) -> dict[int, frozenset[int]]:
    """Return the positions of the tables that stand in the text in the place of lines, with those of the lines."""
    found: dict[int, frozenset[int]] = {}
    for block in _marked(result.get("blocks"), lines_of(result)) or ():
        if block.table is not None and block.lines and _table_of(block, result.get("tables")):
            found.setdefault(block.table, block.places)
    return found


@dataclass(frozen=True, slots=True)
class _Marked:
    type: str
    level: int
    box: Quad | None
    number: int | None
    lines: tuple[Line, ...]
    table: int | None = None
    """The position of a table in the `tables` of the result."""
    places: frozenset[int] = frozenset()
    """The positions of the lines."""


def marked_blocks(result: Mapping[str, object], lines: Sequence[Line]) -> list[TextBlock] | None:
    """Return the blocks that the result marks, or None if it marks none that make sense."""
    marked = _marked(result.get("blocks"), lines)
    if marked is None:
        return None
    filled = [block for block in marked if block.lines]
    tables = result.get("tables")
    texts = _parts_of(text_of(result), filled) or [_joined(block) for block in filled]
    return [
        TextBlock(block.type, text, block.level, block.box, block.number, _cells(block, text), _table_of(block, tables))
        for block, text in zip(filled, texts, strict=True)
    ]


def _marked(given: object, lines: Sequence[Line]) -> list[_Marked] | None:
    """Return each line in the first block that names it. Lines in none follow in a block of their own."""
    if not isinstance(given, list | tuple) or not given:
        return None
    blocks: list[_Marked] = []
    left = dict(enumerate(lines))
    for number, block in enumerate(given):
        if not isinstance(block, Mapping) or not isinstance(block.get("lines"), list | tuple):
            return None
        places = dict.fromkeys(index for index in block["lines"] if type(index) is int and index in left)
        blocks.append(_block(block, number, {place: left.pop(place) for place in places}))
    return [*blocks, _Marked("paragraph", 1, None, None, tuple(line for line in left.values() if line.text))]


def _block(given: Mapping[str, object], number: int, lines: Mapping[int, Line]) -> _Marked:
    type_, level = given.get("type"), given.get("level")
    return _Marked(
        type_ if isinstance(type_, str) and type_ in TYPES else "paragraph",
        min(LEVELS, max(1, level)) if type(level) is int else 1,
        corners_of(given.get("box")),
        number,
        tuple(line for line in lines.values() if line.text),
        table if type(table := given.get("table")) is int and type_ == "table" else None,
        frozenset(lines),
    )


def _parts_of(text: str, blocks: Sequence[_Marked]) -> list[str] | None:
    """Return the part of the page's text that each block has, or None if the text is not made of these lines."""
    parts = [part for part in text.split("\n\n") if part.strip()]
    if len(parts) != len(blocks):
        return None
    for part, block in zip(parts, blocks, strict=True):
        if _LEFT_OUT.sub("", part) != _LEFT_OUT.sub("", "".join(line.text for line in block.lines)):
            return None
    return ["\n".join(filter(None, map(one_line, part.splitlines()))) for part in parts]


def _joined(block: _Marked) -> str:
    rows = _rows(block)
    if rows:
        paragraph = Paragraph(tuple(rows))
        return block_text(Block(block.type, paragraph), paragraph.box)
    text = block.lines[0].text
    for line in block.lines[1:]:
        text = "".join(joined_rows(text, line.text)) if block.type in RUNNING else f"{text}\n{line.text}"
    return text


def _rows(block: _Marked) -> list[Row]:
    """Return the lines in rows, or nothing if they have no positions."""
    if len(block.lines) > MAX_PLACED or any(line.box is None for line in block.lines):
        return []
    return gather_rows(
        [PageLine(index, line.text, Box.of_corners(line.box or ())) for index, line in enumerate(block.lines)]
    )


def _cells(block: _Marked, text: str) -> tuple[tuple[str, ...], ...]:
    if block.type not in ("table", "rows"):
        return ()
    rows = [tuple(line.text for line in row.lines) for row in _rows(block)]
    return tuple(rows or ((row,) for row in text.splitlines()))


def _table_of(block: _Marked, tables: object) -> Table | None:
    """Return the table of a block. If people corrected its lines, its cells are not those that they see any more."""
    if block.table is None or not isinstance(tables, list | tuple) or not 0 <= block.table < len(tables):
        return None
    table = sound_table(tables[block.table])
    if table is None:
        return None
    if any(cell.get("corrected") for cell in tables[block.table]["cells"]):
        return table
    in_cells, in_lines = (cell.text for cell in table.cells), (line.text for line in block.lines)
    return table if _letters(in_cells) == _letters(in_lines) else None


def _letters(texts: Iterable[str]) -> Counter[str]:
    return Counter(_LEFT_OUT.sub("", "".join(texts)))


def _from_gaps(lines: Sequence[Line], text: str) -> list[TextBlock]:
    blocks = []
    for rows in paragraphs(lines, text):
        joined = ""
        for row, before in zip(rows, [None, *rows], strict=False):
            if before is None:
                joined = row.text
            else:
                joined = f"{joined}\n{row.text}" if before.ended_early else "".join(joined_rows(joined, row.text))
        boxes = [row.box for row in rows if row.box]
        blocks.append(TextBlock("paragraph", joined, box=Box.around(boxes).corners() if boxes else None))
    return blocks
