"""The tables of a page, with their cells."""

import csv
import io
import re
from dataclasses import dataclass
from typing import Self

from maas_client.resources.json_values import Box, Json, box_of


@dataclass(frozen=True, slots=True)
class Cell:
    row: int
    """The first row, from 0."""
    column: int
    row_span: int
    column_span: int
    text: str
    box: Box | None
    confidence: float
    header: bool

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            row=body["row"],
            column=body["column"],
            row_span=body["row_span"],
            column_span=body["column_span"],
            text=body["text"],
            box=box_of(body["box"]),
            confidence=body["confidence"],
            header=body["header"],
        )


@dataclass(frozen=True, slots=True)
class Table:
    """A grid of cells, some of which span rows or columns."""

    rows: int
    columns: int
    header_rows: int
    continues: bool
    """Say whether it goes on from the last table of the page before."""
    box: Box | None
    cells: tuple[Cell, ...]
    """The cells by rows, then by columns. Places without text may have no cell."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        cells = tuple(Cell.from_json(cell) for cell in body["cells"])
        return cls(body["rows"], body["columns"], body["header_rows"], body["continues"], box_of(body["box"]), cells)

    def grid(self) -> list[list[str]]:
        """Return the texts by rows and columns. A text that spans several places stands in the first of them."""
        texts = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            texts[cell.row][cell.column] = cell.text
        return texts

    def to_csv(self) -> str:
        """Return the table as CSV. Texts that a spreadsheet would run as formulas begin with an apostrophe."""
        written = io.StringIO()
        csv.writer(written).writerows([_harmless(text) for text in row] for row in self.grid())
        return written.getvalue()


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_SIGNED_NUMBER = re.compile(r"[-+]\d[\d.,]*")


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) and not _SIGNED_NUMBER.fullmatch(text) else text
