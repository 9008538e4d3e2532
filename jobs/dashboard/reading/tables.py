"""The tables of a page as a person reads them: rows of cells that span places. This module makes no queries."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.tables.table import Cell, Table
from jobs.dashboard.reading.lines import SURE, is_recognized, marked_lines, svg_points
from jobs.results.exports.table_cells import placed_cells
from jobs.results.page_tables import page_tables
from jobs.search.excerpts import Part
from jobs.search.queries import Query

MAX_CELLS = 5_000
"""The most places of a page's tables that are shown. A browser takes long to lay out more."""


@dataclass(frozen=True)
class CellView:
    text: str
    place: str
    """The name that links the cell with its box on the picture. It is empty for a place without a cell."""
    title: str
    row_span: int
    column_span: int
    is_header: bool
    percent: int | None
    unsure: bool
    """A person should check the cell: the model is not sure of it, and nobody has corrected it."""
    corrected: bool
    corners: str
    """The corners for SVG. They are empty if the cell has no position on a picture."""
    url: str
    """The address that a PUT request corrects the cell at."""
    parts: Sequence[Part]
    """The text once more, in parts that separate the words of a search."""

    @property
    def found(self) -> bool:
        return any(part.marked for part in self.parts)


@dataclass(frozen=True)
class TableView:
    number: int
    rows: Sequence[Sequence[CellView]]
    header_rows: int
    continues: bool
    left_out: int
    """The rows that are not shown."""
    in_text: bool
    """The table stands in the text, in the place of its lines."""

    @property
    def index(self) -> int:
        return self.number - 1

    @property
    def head(self) -> Sequence[Sequence[CellView]]:
        return self.rows[: self.header_rows]

    @property
    def body(self) -> Sequence[Sequence[CellView]]:
        return self.rows[self.header_rows :]

    @property
    def cells(self) -> Sequence[CellView]:
        return [cell for row in self.rows for cell in row if cell.corners]


def table_views(
    result: Mapping[str, Any],
    corrected: Mapping[tuple[int, int], str],
    page_url: str,
    sought: Query,
    *,
    in_text: Collection[int],
    continued: int | None = None,
) -> list[TableView]:
    """Return the tables that fit on the screen. `continued` is the position of the one that goes on from before."""
    recognized = is_recognized(result)
    found: list[TableView] = []
    places = 0
    for one in page_tables(result):
        table = one.table
        shown = min(table.rows, (MAX_CELLS - places) // table.columns)
        if shown < 1 and found:
            break
        places += table.rows * table.columns
        view = _Placing(one.index, table, corrected, f"{page_url}/tables/{one.index}/cells", recognized, sought)
        rows = view.rows(max(1, shown))
        found.append(
            TableView(
                number=one.index + 1,
                rows=rows,
                header_rows=min(table.header_rows, len(rows)),
                continues=one.index == continued,
                left_out=table.rows - len(rows),
                in_text=one.index in in_text,
            )
        )
    return found


def cell_place(table: int, position: int) -> str:
    """Return the name that links a cell with its box, by the positions of its table and of itself in it."""
    return f"t{table + 1}c{position + 1}"


@dataclass(frozen=True)
class _Placing:
    index: int
    table: Table
    corrected: Mapping[tuple[int, int], str]
    url: str
    recognized: bool
    sought: Query

    def rows(self, shown: int) -> list[list[CellView]]:
        positions = {(cell.row, cell.column): position for position, cell in enumerate(self.table.cells)}
        rows: list[list[CellView]] = [[] for _ in range(shown)]
        for cell, is_header in placed_cells(self.table):
            if cell.row >= shown:
                break
            rows[cell.row].append(self._view(cell, positions.get((cell.row, cell.column)), shown, is_header))
        return rows

    def _view(self, cell: Cell, position: int | None, shown: int, is_header: bool) -> CellView:
        text = None if position is None else self.corrected.get((self.index, position))
        known = position is not None and self.recognized
        shown_text = cell.text if text is None else text
        return CellView(
            text=shown_text,
            place="" if position is None else cell_place(self.index, position),
            title=f"Table {self.index + 1}, row {cell.row + 1}, column {cell.column + 1}",
            row_span=min(cell.row_span, shown - cell.row),
            column_span=cell.column_span,
            is_header=is_header,
            percent=int(100 * cell.confidence) if known else None,
            unsure=known and cell.confidence < SURE and text is None,
            corrected=text is not None,
            corners=svg_points(cell.box.corners() if cell.box else None),
            url="" if position is None else f"{self.url}/{position}",
            parts=marked_lines([shown_text], self.sought)[0],
        )
