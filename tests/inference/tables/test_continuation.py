"""Test which table goes on from the table of the page before."""

from dataclasses import replace

import pytest

from inference.layout.boxes import Box
from inference.tables.continuation import continues, repeated_header_rows
from inference.tables.page_tables import find_tables
from inference.tables.table import Cell, Table
from tests.inference.tables.printed import rows

WIDTH = 1000.0
EDGES = ((100.0, 300.0), (350.0, 500.0), (600.0, 900.0))


def table(*rows: tuple[str, ...], headers: int = 0, offset: float = 0.0, scale: float = 1.0) -> Table:
    cells = tuple(
        Cell(row, column, text, _box(row, column, offset, scale), header=row < headers)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    )
    return Table(len(rows), len(rows[0]), cells, header_rows=headers)


def _box(row: int, column: int, offset: float, scale: float) -> Box:
    left, right = EDGES[column]
    return Box((left + offset) * scale, 50.0 * row, (right + offset) * scale, 50.0 * row + 30)


HEADER = ("Item", "Count", "Price")
FIRST = table(HEADER, ("Nuts", "2", "1.20"), headers=1)


def test_rows_in_the_same_columns_go_on() -> None:
    assert continues(FIRST, WIDTH, table(("Bolts", "5", "3.10")), WIDTH)


def test_a_page_of_another_size_goes_on_in_its_shares_of_the_width() -> None:
    assert continues(FIRST, WIDTH, table(("Bolts", "5", "3.10"), scale=2.0), 2 * WIDTH)


def test_a_repeated_header_is_known_even_if_a_letter_was_read_differently() -> None:
    after = table(("ltem", "Count", "Price"), ("Bolts", "5", "3.10"), headers=1)
    assert continues(FIRST, WIDTH, after, WIDTH)
    assert repeated_header_rows(FIRST, after) == 1


def test_a_repeated_header_is_known_if_it_was_taken_for_a_row() -> None:
    assert repeated_header_rows(FIRST, table(HEADER, ("Bolts", "5", "3.10"))) == 1


@pytest.mark.parametrize(
    "after",
    [
        table(("Name", "Born", "Died"), ("Anna", "1901", "84,5"), headers=1),
        table(("Bolts", "5", "3.10"), offset=60.0),
        table(("Bolts", "5")),
    ],
    ids=["another header", "other places", "fewer columns"],
)
def test_another_table_does_not_go_on(after: Table) -> None:
    assert not continues(FIRST, WIDTH, after, WIDTH)


def test_the_first_row_of_a_table_of_words_is_no_other_header() -> None:
    before = table(("Name", "Town", "Street"), ("Anna", "Ulm", "Weg"), headers=1)
    after = table(("Bert", "Bonn", "Allee"), ("Carl", "Kiel", "Gasse"), headers=1)
    assert continues(before, WIDTH, after, WIDTH)
    assert repeated_header_rows(before, after) == 0


def test_a_table_without_positions_does_not_go_on() -> None:
    bare = replace(FIRST, cells=tuple(replace(cell, box=None) for cell in FIRST.cells))
    assert not continues(bare, WIDTH, bare, WIDTH)
    assert not continues(FIRST, 0.0, FIRST, 0.0)


def test_a_table_without_rules_goes_on_over_a_page() -> None:
    parts = [(str(number), f"Part {number}", f"{number}.25", "late") for number in range(1, 9)]
    lefts = (100, 160, 240, 320)
    (before,) = find_tables(rows([["No.", "Part", "Price", "State"], *parts[:4]], lefts), [])
    (after,) = find_tables(rows(parts[4:], lefts), [])
    assert (before.header_rows, after.header_rows) == (1, 0)
    assert continues(before, WIDTH, after, WIDTH)
