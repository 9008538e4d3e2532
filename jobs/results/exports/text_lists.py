"""Gathers list items into lists, with the numbers that they have on the page. This module is pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jobs.results.exports.page_blocks import TextBlock

_BULLET = re.compile(r"[•◦▪■●○‣·*–—-]\s+(?=\S)")
_NUMBER = re.compile(r"\(?(0|[1-9]\d{0,7})[.)]\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class TextList:
    items: tuple[str, ...]
    start: int | None = None
    """The number of the first item. It is None for a list without numbers."""

    def takes(self, item: "TextList") -> bool:
        """Return whether the item continues this list."""
        if self.start is None or item.start is None:
            return self.start is item.start
        return item.start == self.start + len(self.items)


def with_lists(blocks: Iterable[TextBlock]) -> Iterator[TextBlock | TextList]:
    """Yield the blocks. Items that follow each other, with numbers in a row, become a list."""
    gathered: TextList | None = None
    for block in blocks:
        item = _item(block.text) if block.type == "list_item" else None
        if gathered and item and gathered.takes(item):
            gathered = TextList(gathered.items + item.items, gathered.start)
            continue
        if gathered:
            yield gathered
        gathered = item
        if not item:
            yield block
    if gathered:
        yield gathered


def _item(text: str) -> TextList:
    """Return a list of one item. A bullet and a number are left out of its text; a letter stays."""
    if number := _NUMBER.match(text):
        return TextList((text[number.end() :],), int(number[1]))
    bullet = _BULLET.match(text)
    return TextList((text[bullet.end() :] if bullet else text,))
