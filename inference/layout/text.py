"""The text of blocks: printed lines joined where they run on, hyphens at their ends mended."""

from collections.abc import Sequence

from inference.layout.boxes import Box
from inference.layout.marks import is_mark
from inference.layout.roles import Block
from inference.layout.rows import Row, row_of
from inference.layout.spellings import HYPHENS, NONE, Spellings, is_suspended

FULL = 0.8
"""The share of the width of its column from which a row runs on in the next one."""
NARROW = 15.0
"""A multiple of a row's height. A narrower block is an address or a sum, and no running prose."""
RUNNING = frozenset({"paragraph", "list_item", "footnote", "caption", "heading", "side_note"})


def block_text(block: Block, column: Box, spellings: Spellings = NONE) -> str:
    """Return the text of a block. `column` is the box of the region that the block stands in."""
    rows = block.paragraph.rows
    if block.type not in RUNNING:
        return "\n".join(row.text for row in rows)
    box = block.paragraph.box
    is_narrow = len(rows) > 1 and column.width < NARROW * block.paragraph.height and not _is_prose(block, box)
    enough = max(box.left + FULL * box.width, column.left + 0.55 * column.width)
    runs_on = [_runs_on(row, block, enough, is_narrow=is_narrow) for row in rows]
    return join_rows([row.text for row in rows], runs_on, spellings)


def join_rows(texts: Sequence[str], runs_on: Sequence[bool], spellings: Spellings = NONE) -> str:
    joined: list[str] = []
    for text, before in zip(texts, [False, *runs_on], strict=False):
        if not text:
            continue
        if joined and before:
            joined[-1:] = joined_rows(joined[-1], text, spellings)
        elif joined:
            joined += ["\n", text]
        else:
            joined.append(text)
    return "".join(joined)


def joined_rows(before: str, after: str, spellings: Spellings = NONE) -> tuple[str, str]:
    """Join two printed lines of a paragraph. A hyphen at the end of the first goes unless it belongs to the word."""
    if before[-1:] in HYPHENS and after[:1].isalpha() and not is_suspended(after):
        if before[-2:-1].isdigit():
            return before, after
        if not before[-2:-1].isalpha():
            return f"{before} ", after
        return before if spellings.keeps_hyphen(before, after) else before[:-1], after
    return f"{before} ", after


def _runs_on(row: Row, block: Block, enough: float, *, is_narrow: bool) -> bool:
    """Return whether a row ends where the next one goes on: it reaches far enough to the right."""
    if block.type in ("heading", "caption"):
        return True
    if _without_mark(row).widest_gap > row.box.height:
        return False
    return not is_narrow and row.box.right >= enough


def _without_mark(row: Row) -> Row:
    """Return the row without the mark of an item that stands apart from its text."""
    return row_of(row.lines[1:]) if len(row.lines) > 1 and is_mark(row.lines[0].text) else row


def _is_prose(block: Block, box: Box) -> bool:
    """Return whether most rows are as wide as the block, and not all begin like the lines of an address."""
    rows = block.paragraph.rows
    full = sum(row.box.width >= FULL * box.width for row in rows[:-1])
    begins_anew = all(row.text[:1].isupper() or row.text[:1].isdigit() for row in rows[1:])
    return full > 0.6 * (len(rows) - 1) and not begins_anew
