"""No place of a table belongs to two cells, whatever the page."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from inference.core.contracts import TextLine
from inference.layout.boxes import Box
from inference.tables.apart import apart
from inference.tables.page_tables import find_tables
from inference.tables.table import Cell, Table
from tests.inference.tables.printed import level, line, rows, upright

TEXTS = st.sampled_from(["Mechanic", "Task", "3.5", "60.00", "Hours of work", "a", "-20.00", "1 Stk", "Total", ""])
ASIDE, LOWER = st.sampled_from([0, 0, 0, -20, 15]), st.sampled_from([0, 0, 5])
COLUMNS = (100, 160, 230, 300)


@st.composite
def pages(draw: st.DrawFn) -> tuple[list[TextLine], list[Box]]:
    """Draw rows of texts, some of which reach into the next column, with rules between some of them."""
    count, pitch = draw(st.integers(2, 9)), draw(st.integers(13, 24))
    lefts = [left + draw(st.integers(-25, 25)) for left in COLUMNS]
    lines = [
        line(text, left + draw(ASIDE), 100 + pitch * row + draw(LOWER))
        for row in range(count)
        for left in lefts
        if (text := draw(TEXTS))
    ]
    ends = 100 + pitch * count
    rules = [
        level(97 + pitch * draw(st.integers(0, count)), draw(st.sampled_from([90, 150, 220])), 380)
        for _ in range(draw(st.integers(0, 6)))
    ]
    rules += [
        upright(draw(st.sampled_from([90, 150, 220, 290, 380])), draw(st.sampled_from([97, 97 + pitch])), ends)
        for _ in range(draw(st.integers(0, 6)))
    ]
    return lines, rules


def places(table: Table) -> Counter[tuple[int, int]]:
    return Counter(
        (row, column)
        for cell in table.cells
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    )


@given(pages())
@settings(max_examples=300)
def test_no_place_of_a_found_table_belongs_to_two_cells_or_lies_outside(page: tuple[list[TextLine], list[Box]]) -> None:
    for table in find_tables(*page):
        found = places(table)
        assert max(found.values(), default=1) == 1
        assert all(0 <= row < table.rows and 0 <= column < table.columns for row, column in found)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 2, *[st.integers(1, 4)] * 2), max_size=12))
def test_cells_put_apart_keep_all_texts(given_cells: list[tuple[int, int, int, int]]) -> None:
    cells = [
        Cell(row, column, f"t{number}", None, row_span, column_span)
        for number, (row, column, row_span, column_span) in enumerate(given_cells)
    ]
    kept = apart(cells)
    assert max(places(Table(9, 9, kept)).values(), default=1) == 1
    assert {text for cell in kept for text in cell.text.split()} == {cell.text for cell in cells}


def test_a_head_that_reaches_over_the_next_column_leaves_it_its_own_head() -> None:
    body = [["Ada", "Brakes", "3.5"], ["Bo", "Clutch", "6.0"], ["Cy", "Paint", "2.0"], ["Di", "Tires", "1.0"]]
    lines = [*rows([["Mechanic", "Task", "Hours"]], (100, 152, 230)), *rows(body, (100, 138, 230), top=120)]
    (table,) = find_tables(lines, [level(116, 96, 270)])
    assert [(cell.text, cell.column, cell.column_span) for cell in table.cells if cell.row == 0] == [
        ("Mechanic", 0, 1),
        ("Task", 1, 1),
        ("Hours", 2, 1),
    ]
