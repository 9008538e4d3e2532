"""The layout of a page: its lines in reading order, its blocks, and its text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inference.layout.boxes import Box, PageLine, usual_height, usual_letter_width
from inference.layout.marks import Marked, with_marks
from inference.layout.order import regions_in_order
from inference.layout.paragraphs import Paragraph, split_paragraphs
from inference.layout.regions import Region
from inference.layout.roles import Block, Edges, find_notes, is_page_number, part_edges, role_of, with_levels
from inference.layout.rows import gather_rows
from inference.layout.spellings import spellings_of
from inference.layout.text import block_text


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table that was found on the page: its place, its text, and the numbers of its lines."""

    box: Box
    text: str
    lines: frozenset[int]


@dataclass(frozen=True, slots=True)
class PageLayout:
    blocks: tuple[Block, ...]
    """The blocks in reading order."""
    text: str
    certainty: float
    """The certainty of the order, from 0 to 1."""

    @property
    def order(self) -> list[int]:
        """Return the numbers of the lines in reading order."""
        return [line.index for block in self.blocks for row in block.paragraph.rows for line in row.lines]


@dataclass(frozen=True, slots=True)
class _Placed:
    block: Block
    column: Box
    text: str | None = None
    """The text of a table."""


@dataclass(frozen=True, slots=True)
class _Page:
    marked: Marked
    usual: float
    """The usual height of a line."""
    letter: float
    """The usual width of a letter."""
    tables: Mapping[int, _Placed]


def lay_out(lines: Sequence[PageLine], page_height: float | None, tables: Sequence[PageTable] = ()) -> PageLayout:
    """Return the layout of a page. A table stands in the order as a whole. Without a height no line is at an edge."""
    if not lines:
        return PageLayout((), "", 1.0)
    lines = sorted(lines, key=lambda line: (line.box.top, line.box.left, line.box.bottom, line.box.right, line.text))
    usual, letter = usual_height(lines), usual_letter_width(lines)
    blocks_of_tables = _blocks_of_tables(lines, tables)
    in_tables = {index for table in tables for index in table.lines}
    # Each table takes part as one line without text. Its number is negative.
    stand_ins = [PageLine(-1 - number, "", tables[number].box) for number in blocks_of_tables]
    parts = [*(line for line in lines if line.index not in in_tables), *stand_ins]
    edges = Edges((), tuple(parts), ()) if page_height is None else part_edges(parts, page_height, usual, letter)
    marked = with_marks(edges.body)
    regions = regions_in_order(marked.lines)
    body = [each for region in regions for each in _placed(region, _Page(marked, usual, letter, blocks_of_tables))]
    notes = [placed for placed in body if placed.block.type == "footnote"]
    placed = [
        *_edge_blocks(edges.header, "header"),
        *_with_margins([each for each in body if each.block.type != "footnote"]),
        *notes,
        *_edge_blocks(edges.footer, "footer"),
    ]
    blocks = with_levels([each.block for each in placed])
    spellings = spellings_of(line.text for line in lines)
    texts = [
        block_text(block, each.column, spellings) if each.text is None else each.text
        for block, each in zip(blocks, placed, strict=True)
    ]
    return PageLayout(tuple(blocks), "\n\n".join(filter(None, texts)), min(region.certainty for region in regions))


def _blocks_of_tables(lines: Sequence[PageLine], tables: Sequence[PageTable]) -> dict[int, _Placed]:
    """Return the block of each table that has lines, by the table's number."""
    found: dict[int, _Placed] = {}
    for number, table in enumerate(tables):
        inside = [line for line in lines if line.index in table.lines]
        if inside:
            paragraph = Paragraph(tuple(gather_rows(inside)))
            found[number] = _Placed(Block("table", paragraph, table=number), table.box, table.text)
    return found


def _placed(region: Region, page: _Page) -> Iterator[_Placed]:
    """Yield the blocks of a region: those above, between and below its tables, and the tables themselves."""
    column = Box.around(line.box for line in region.lines)
    run: list[PageLine] = []
    for line in sorted(region.lines, key=lambda line: line.box.middle) if page.tables else region.lines:
        if line.index >= 0:
            run.append(line)
            continue
        yield from _of_run(run, region, column, page)
        yield page.tables[-1 - line.index]
        run = []
    yield from _of_run(run, region, column, page)


def _of_run(lines: Sequence[PageLine], region: Region, column: Box, page: _Page) -> Iterator[_Placed]:
    rows = gather_rows(page.marked.parted(lines))
    if region.is_table and rows:
        yield _Placed(Block("rows", Paragraph(tuple(rows))), column)
        return
    paragraphs = split_paragraphs(rows)
    notes = find_notes(paragraphs, page.usual, page.letter)
    for position, paragraph in enumerate(paragraphs):
        role = "side_note" if region.is_margin else "footnote" if position in notes else role_of(paragraph, page.usual)
        yield _Placed(Block(role, paragraph), column)


def _with_margins(placed: Sequence[_Placed]) -> list[_Placed]:
    """Put each note of a margin after the block that begins beside or above it."""
    found = [each for each in placed if each.block.type != "side_note"]
    tops = [each.block.paragraph.box.top for each in found]
    behind: dict[int, list[_Placed]] = {}
    for note in placed:
        if note.block.type == "side_note":
            limit = note.block.paragraph.box.middle
            above = [position for position, top in enumerate(tops) if top <= limit]
            behind.setdefault(max(above, key=tops.__getitem__, default=-1), []).append(note)
    merged = list(behind.get(-1, ()))
    for position, each in enumerate(found):
        merged += [each, *behind.get(position, ())]
    return merged


def _edge_blocks(lines: Sequence[PageLine], role: str) -> Iterable[_Placed]:
    """Yield the rows of an edge, page numbers apart."""
    for row in gather_rows(lines):
        numbers = [line for line in row.lines if is_page_number(line.text)]
        others = [line for line in row.lines if line not in numbers]
        for found, name in ((others, role), (numbers, "page_number")):
            if found:
                paragraph = Paragraph(tuple(gather_rows(found)))
                yield _Placed(Block(name, paragraph), paragraph.box)
