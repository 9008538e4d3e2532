"""Marks that stand apart from their text: bullets, numbers of headings, items and notes, left of it by a tab."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inference.layout.boxes import Box, PageLine
from inference.layout.paragraphs import BULLETS

MARK = re.compile(
    r"[•◦▪■●○‣·*–—\uf0b7\uf0a7-]|\(?\d{1,3}[.)]?|\d{1,2}(?:\.\d{1,2}){1,3}\.?|\(?[a-zA-Z][.)]|[ivx]{1,4}[.)]"
)
MAX_TAB = 5.0
"""The white between a mark and its text, at most, as a multiple of the text's height."""
MIN_TEXT = 5
"""The letters of the text beside a number, at least. A value beside the number of a table's row has fewer."""
SAME_ROW = 0.35
"""The distance between the middles of a mark and its text, at most, as a share of the text's height."""
CLOSE = 0.8
"""The white between two lines of a column, at most, as a multiple of the text's height."""
NEAR = 40
"""The most lines, by their height on the page, that a mark is compared with on each side."""


@dataclass(frozen=True, slots=True)
class Marked:
    """Lines with each mark joined to its text, so that no gutter is seen between both."""

    lines: tuple[PageLine, ...]
    pieces: Mapping[int, tuple[PageLine, ...]]
    """The mark and the text of a joined line, by its number."""

    def parted(self, lines: Sequence[PageLine]) -> list[PageLine]:
        return [piece for line in lines for piece in self.pieces.get(line.index, (line,))]


def is_mark(text: str) -> bool:
    return len(text) <= 12 and MARK.fullmatch(text.strip()) is not None


def with_marks(lines: Sequence[PageLine]) -> Marked:
    ordered = sorted(lines, key=lambda line: line.box.middle)
    pieces: dict[int, tuple[PageLine, ...]] = {}
    taken: set[int] = set()
    for position, line in enumerate(ordered):
        if not is_mark(line.text):
            continue
        text = _text_of(line, ordered[max(0, position - NEAR) : position + NEAR + 1])
        if text is not None and text.index not in taken:
            pieces[text.index] = (line, text)
            taken |= {line.index, text.index}
    joined = [_joined(*pieces[line.index]) if line.index in pieces else line for line in lines]
    marks = {mark.index for mark, _ in pieces.values()}
    return Marked(tuple(line for line in joined if line.index not in marks), pieces)


def _text_of(mark: PageLine, near: Sequence[PageLine]) -> PageLine | None:
    """Return the text right of the mark, if the mark stands nearer to it than to anything on its left."""
    row = [line for line in near if line is not mark and _beside(mark.box, line.box)]
    right = min(
        (line for line in row if line.box.left >= mark.box.center), key=lambda line: line.box.left, default=None
    )
    if right is None or is_mark(right.text) or sum(map(str.isalpha, right.text)) < _wanted(mark.text):
        return None
    tab = max(0.0, right.box.left - mark.box.right)
    left = max((line.box.right for line in row if line.box.left < mark.box.center), default=float("-inf"))
    if tab > MAX_TAB * right.box.height or mark.box.left - left <= tab:
        return None
    return None if _ends_column(mark, right.box, near) else right


def _ends_column(mark: PageLine, text: Box, near: Sequence[PageLine]) -> bool:
    """Return whether the mark is the last word of a column, below a line that ends before the text begins."""
    reach = CLOSE * text.height
    return any(
        0 < mark.box.middle - line.box.middle <= reach + line.box.height
        and abs(line.box.left - mark.box.left) <= text.height
        and mark.box.right < line.box.right <= text.left
        and not is_mark(line.text)
        for line in near
    )


def _wanted(mark: str) -> int:
    return 1 if mark.strip() in BULLETS else MIN_TEXT


def _beside(mark: Box, text: Box) -> bool:
    return abs(mark.middle - text.middle) <= SAME_ROW * text.height


def _joined(mark: PageLine, text: PageLine) -> PageLine:
    return PageLine(text.index, f"{mark.text} {text.text}", Box.around((mark.box, text.box)))
