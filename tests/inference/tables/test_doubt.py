"""Tests of doubtful tables."""

import pytest

from inference.layout.boxes import Box
from inference.tables.doubt import is_doubtful
from inference.tables.table import Cell, Table


def table(*rows: tuple[str, ...], confidence: float = 0.8, height: float = 20) -> Table:
    cells = tuple(
        Cell(row, column, text, Box(100 * column, 30 * row, 100 * column + 80, 30 * row + height), 1, 1, confidence)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
        if text
    )
    return Table(len(rows), len(rows[0]), cells, Box(0, 0, 100 * len(rows[0]), 30 * len(rows)), 1)


FULL = (("City", "Sites", "Cost"), ("Dover", "12", "3.50"), ("Deal", "7", "18.00"))


def test_a_full_table_is_not_doubtful() -> None:
    assert not is_doubtful(table(*FULL))


@pytest.mark.parametrize(
    "doubtful",
    [
        table(*FULL, confidence=0.6),
        table(*FULL, height=5),
        table(("City", "Sites", "Cost"), ("Dover", "", ""), ("", "7", "")),
        table(("City", "Sites", "Cost"), ("Dover", "12 14", "3.50"), ("Deal", "7", "18.00")),
        table(("", ""), ("", "")),
    ],
    ids=["uncertain cells", "much white", "few cells", "several values in a cell", "no text"],
)
def test_signs_of_doubt(doubtful: Table) -> None:
    assert is_doubtful(doubtful)


def test_a_drawn_table_may_have_empty_cells() -> None:
    assert not is_doubtful(table(("City", "Sites", "Cost"), ("Dover", "", ""), ("", "7", ""), confidence=1.0))
