"""Finds the lines of a page that a cell of a table is made of, so that a correction counts in both.

This module is pure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.layout.boxes import Box
from inference.tables.table import Table
from jobs.corrected_results.applying import Corrected, corrected_text
from jobs.results.exports.page_lines import Line, lines_of
from jobs.results.page_tables import sound_table

_LEFT_OUT = re.compile(r"[\s\-\u00ad\u2010]+")
"""Characters that differ between the lines of a cell and its text."""


@dataclass(frozen=True, slots=True)
class SharedCell:
    """A cell whose text is that of whole lines."""

    table: int
    """The position of the table in `tables` of the result."""
    index: int
    """The position of the cell in the table."""
    text: str
    lines: Mapping[int, str]
    """The texts of the lines by their positions in `lines` of the result, in the order in which they are read."""

    def text_with(self, corrected: Corrected) -> str:
        """Return the text of the cell with corrected lines."""
        by_place = {place: corrected[index] for place, index in enumerate(self.lines) if index in corrected}
        return corrected_text(self.text, list(self.lines.values()), by_place)

    def lines_with(self, text: str) -> dict[int, str]:
        """Return the texts of the lines if the cell has another text. Lines that stay at both ends keep theirs."""
        printed = [" ".join(line.split()) for line in text.split("\n")]
        if len(printed) == len(self.lines):
            return dict(zip(self.lines, printed, strict=True))
        return dict(zip(self.lines, _shared_out(" ".join(text.split()), list(self.lines.values())), strict=True))


def cell_of_line(result: Mapping[str, Any], line: int) -> SharedCell | None:
    """Return the cell that a line belongs to, or None if no cell is made of it and other whole lines."""
    for members, position, table in _tables(result):
        if line in members:
            lines = lines_of(result)
            box = _box(lines[line]) if 0 <= line < len(lines) else None
            cells = enumerate(table.cells)
            held = (index for index, cell in cells if box and cell.box and cell.text and cell.box.holds(box))
            return next((found for index in held if (found := _shared(lines, members, position, table, index))), None)
    return None


def lines_of_cell(result: Mapping[str, Any], table: int, index: int) -> SharedCell | None:
    """Return a cell with its lines, or None if it is not made of whole lines."""
    for members, position, found in _tables(result):
        if position == table:
            return _shared(lines_of(result), members, table, found, index)
    return None


def _tables(result: Mapping[str, Any]) -> Iterator[tuple[Sequence[Any], int, Table]]:
    """Yield the lines of each block that is a table, the position of the table, and the table."""
    blocks, tables = result.get("blocks"), result.get("tables")
    for block in blocks if isinstance(blocks, list) else ():
        position = block.get("table") if isinstance(block, Mapping) else None
        if type(position) is not int or not isinstance(tables, list) or not 0 <= position < len(tables):
            continue
        members, table = block.get("lines"), sound_table(tables[position])
        if isinstance(members, list) and table is not None:
            yield members, position, table


def _shared(
    lines: Sequence[Line], members: Sequence[Any], position: int, table: Table, index: int
) -> SharedCell | None:
    cell = table.cells[index] if 0 <= index < len(table.cells) else None
    if cell is None or cell.box is None:
        return None
    known = [line for line in members if type(line) is int and 0 <= line < len(lines)]
    own = {line: lines[line].text for line in known if (box := _box(lines[line])) and cell.box.holds(box)}
    if not own or _letters("".join(own.values())) != _letters(cell.text):
        return None
    return SharedCell(position, index, cell.text, own)


def _box(line: Line) -> Box | None:
    return Box.of_corners(line.box) if line.box and line.text else None


def _letters(text: str) -> str:
    return _LEFT_OUT.sub("", text)


def _shared_out(text: str, lines: Sequence[str]) -> list[str]:
    """Return a text in parts for the lines. The first line that changed has all that is not of other lines."""
    first, last = 0, len(lines)
    while first < last - 1 and text.startswith(f"{lines[first]} "):
        text = text[len(lines[first]) + 1 :]
        first += 1
    while last > first + 1 and text.endswith(f" {lines[last - 1]}"):
        last -= 1
        text = text[: -len(lines[last]) - 1]
    return [*lines[:first], text, *[""] * (last - first - 1), *lines[last:]]
