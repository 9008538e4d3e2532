"""A table as it was found on a page: a grid of cells, some of which span rows or columns."""

from collections.abc import Mapping
from dataclasses import dataclass

from inference.core.contracts import Json
from inference.layout.boxes import Box


@dataclass(frozen=True, slots=True)
class Cell:
    row: int
    column: int
    text: str
    box: Box | None
    """The box on the page, or None in a format that has no places, such as a spreadsheet."""
    row_span: int = 1
    column_span: int = 1
    confidence: float = 1.0
    """The confidence that the text is right and belongs into this cell, from 0 to 1."""
    header: bool = False

    def as_json(self) -> Json:
        return {
            "row": self.row,
            "column": self.column,
            "row_span": self.row_span,
            "column_span": self.column_span,
            "text": self.text,
            "box": _corners(self.box),
            "confidence": round(self.confidence, 3),
            "header": self.header,
        }

    @classmethod
    def of_json(cls, cell: Mapping[str, Json]) -> "Cell":
        return cls(
            int(cell["row"]),
            int(cell["column"]),
            str(cell["text"]),
            _box(cell["box"]),
            int(cell["row_span"]),
            int(cell["column_span"]),
            float(cell["confidence"]),
            bool(cell["header"]),
        )


@dataclass(frozen=True, slots=True)
class Table:
    rows: int
    columns: int
    cells: tuple[Cell, ...]
    """The cells by rows, then by columns. Places without text may have no cell."""
    box: Box | None = None
    header_rows: int = 0
    continues: bool = False
    """It is set if the table goes on from the last table of the page before."""

    def as_json(self) -> Json:
        return {
            "box": _corners(self.box),
            "rows": self.rows,
            "columns": self.columns,
            "header_rows": self.header_rows,
            "continues": self.continues,
            "cells": [cell.as_json() for cell in self.cells],
        }

    @classmethod
    def of_json(cls, table: Mapping[str, Json]) -> "Table":
        return cls(
            int(table["rows"]),
            int(table["columns"]),
            tuple(Cell.of_json(cell) for cell in table["cells"]),
            _box(table["box"]),
            int(table["header_rows"]),
            bool(table["continues"]),
        )

    def text(self) -> str:
        """Return the text by rows, with tabs between the cells."""
        return "\n".join("\t".join(row).rstrip("\t") for row in self.grid())

    def grid(self) -> list[list[str]]:
        """Return the texts by rows and columns. A text that spans several places stands in the first of them."""
        texts = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            texts[cell.row][cell.column] = cell.text
        return texts


def _corners(box: Box | None) -> Json:
    return None if box is None else [[round(x, 1), round(y, 1)] for x, y in box.corners()]


def _box(corners: Json) -> Box | None:
    return None if corners is None else Box.of_corners(corners)
