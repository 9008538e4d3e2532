"""Keeps the cells of a table apart, so that no place of its grid belongs to two of them."""

from collections.abc import Iterable
from dataclasses import replace

from inference.layout.boxes import Box
from inference.tables.table import Cell


def apart(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Return the cells by rows: those at one place as one, and none that reaches over the place of another."""
    at: dict[tuple[int, int], Cell] = {}
    for cell in cells:
        place = cell.row, cell.column
        at[place] = _joined(at[place], cell) if place in at else cell
    known = [at[place] for place in sorted(at)]
    if all(cell.row_span == cell.column_span == 1 for cell in known):
        return tuple(known)
    taken = set(at)
    kept: list[Cell] = []
    for cell in known:
        columns = 1
        while columns < cell.column_span and (cell.row, cell.column + columns) not in taken:
            columns += 1
        across = range(cell.column, cell.column + columns)
        rows = 1
        while rows < cell.row_span and not any((cell.row + rows, column) in taken for column in across):
            rows += 1
        taken |= {(row, column) for row in range(cell.row, cell.row + rows) for column in across}
        kept.append(replace(cell, row_span=rows, column_span=columns))
    return tuple(kept)


def _joined(cell: Cell, other: Cell) -> Cell:
    boxes = [box for box in (cell.box, other.box) if box is not None]
    return replace(
        cell,
        text=f"{cell.text} {other.text}".strip(),
        box=Box.around(boxes) if boxes else None,
        confidence=min(cell.confidence, other.confidence),
    )
