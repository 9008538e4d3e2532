"""The layout of a page: its lines in reading order, its blocks, and its text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inference.layout.boxes import Box, PageLine, usual_height, usual_letter_width
from inference.layout.marks import Marked, with_marks
from inference.layout.order import regions_in_order
from inference.layout.paragraphs import Paragraph, split_paragraphs
from inference.layout.regions import Region
from inference.layout.roles import Block, find_notes, is_page_number, part_edges, role_of, with_levels
from inference.layout.rows import gather_rows
from inference.layout.spellings import spellings_of
from inference.layout.text import block_text


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


def lay_out(lines: Sequence[PageLine], page_height: float) -> PageLayout:
    if not lines:
        return PageLayout((), "", 1.0)
    lines = sorted(lines, key=lambda line: (line.box.top, line.box.left, line.box.bottom, line.box.right, line.text))
    usual, letter = usual_height(lines), usual_letter_width(lines)
    edges = part_edges(lines, page_height, usual)
    marked = with_marks(edges.body)
    regions = regions_in_order(marked.lines)
    body = [placed for region in regions for placed in _placed(region, marked, usual, letter)]
    notes = [placed for placed in body if placed.block.type == "footnote"]
    placed = [
        *_edge_blocks(edges.header, "header"),
        *_with_margins([each for each in body if each.block.type != "footnote"]),
        *notes,
        *_edge_blocks(edges.footer, "footer"),
    ]
    blocks = with_levels([each.block for each in placed])
    spellings = spellings_of(line.text for line in lines)
    texts = [block_text(block, each.column, spellings) for block, each in zip(blocks, placed, strict=True)]
    return PageLayout(tuple(blocks), "\n\n".join(filter(None, texts)), min(region.certainty for region in regions))


def _placed(region: Region, marked: Marked, usual: float, letter: float) -> Iterable[_Placed]:
    column = Box.around(line.box for line in region.lines)
    rows = gather_rows(marked.parted(region.lines))
    if region.is_table:
        yield _Placed(Block("table", Paragraph(tuple(rows))), column)
        return
    paragraphs = split_paragraphs(rows)
    notes = find_notes(paragraphs, usual, letter)
    for position, paragraph in enumerate(paragraphs):
        role = "side_note" if region.is_margin else "footnote" if position in notes else role_of(paragraph, usual)
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
