"""The items that a page consists of, in reading order, gathered within the limits on a page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..limits import DocumentLimits, too_large
from .embedded_pictures import Picture

Json = Any

MAX_LEVEL = 3
_NOT_PRINTED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\ufeff\ufffe\uffff\ud800-\udfff]")
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")


@dataclass(slots=True)
class Cell:
    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
    header: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose cells are within it and do not overlap."""

    rows: int
    columns: int
    cells: Sequence[Cell]
    """The cells by rows, then by columns."""
    header_rows: int = 0


@dataclass(frozen=True, slots=True)
class FoundPage:
    items: list[Json]
    picture: Picture | None = None
    """The picture that is the whole page. Such a page has no items but its edges."""
    unread_pictures: int = 0
    """The number of pictures on the page that are large enough to say something."""


class PageItems:
    """The items of one page. A page that has too many is refused."""

    def __init__(self, limits: DocumentLimits) -> None:
        self._limits = limits
        self._items: list[Json] = []
        self._chars = 0
        self._cells = 0
        self._places = 0

    def __bool__(self) -> bool:
        return bool(self._items)

    def add(self, type_: str, text: str, level: int | None = None) -> None:
        """Add an item. One without text is left out."""
        text = clean(text)
        if not text:
            return
        self._count(text)
        self._append({"type": type_, "text": text, **({} if level is None else {"level": min(level, MAX_LEVEL)})})

    def add_table(self, table: Table) -> None:
        """Add a table. One without text is left out."""
        if not any(cell.text for cell in table.cells):
            return
        self._places += table.rows * table.columns
        self._cells += len(table.cells)
        if self._cells > self._limits.max_table_cells or self._places > self._limits.max_table_places:
            raise too_large(
                f"The tables of the page have {self._cells} cells in {self._places} places, but at most "
                f"{self._limits.max_table_cells} cells in {self._limits.max_table_places} places are allowed."
            )
        cells = []
        for cell in table.cells:
            self._count(cell.text)
            cells.append([cell.row, cell.column, cell.row_span, cell.column_span, int(cell.header), cell.text])
        size = {"rows": table.rows, "columns": table.columns, "header_rows": table.header_rows}
        self._append({"type": "table", **size, "cells": cells})

    @property
    def chars(self) -> int:
        return self._chars

    def reply(self) -> list[Json]:
        return self._items

    def _append(self, item: Json) -> None:
        if len(self._items) >= self._limits.max_items:
            raise too_large(f"The page has more than {self._limits.max_items} paragraphs and tables.")
        self._items.append(item)

    def _count(self, text: str) -> None:
        self._chars += len(text)
        if self._chars > self._limits.max_text_chars:
            raise too_large(f"The page has more than {self._limits.max_text_chars} characters.")


def clean(text: str) -> str:
    """Return the text with single spaces, and without blank lines and characters that are not printed."""
    text = _NOT_PRINTED.sub("", text)
    lines = (" ".join(line.split()) for line in _LINE_END.split(text))
    return "\n".join(line for line in lines if line)
