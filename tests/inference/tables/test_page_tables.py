"""Tables are found by their rules, or by their columns alone, and running text is none."""

import time

import pytest

from inference.core.contracts import TextLine
from inference.layout.boxes import Box
from inference.tables.page_tables import find_tables
from tests.inference.tables.printed import confidence, level, line, rows, upright

CITIES = [["City", "Sites", "Costs"], ["Bristol", "12", "3,400"], ["Leeds", "7", "1,250"], ["Dover", "31", "9,980"]]
PROSE = "The council repaired the bridge behind the station after the long winter of that year"
MOST_S = 20


def test_a_drawn_grid_is_a_table_with_its_spans() -> None:
    lines = rows([["Region", "Year", ""], ["", "2024", "2025"], ["North", "12", "14"]], (110, 210, 310))
    rules = [level(at, 100, 400) for at in (96, 136, 156)] + [level(116, 200, 400)]
    rules += [upright(at, 96, 156) for at in (100, 200, 400)] + [upright(300, 116, 156)]
    (table,) = find_tables(lines, rules)
    cells = {cell.text: (cell.row, cell.column, cell.row_span, cell.column_span) for cell in table.cells}
    assert (table.rows, table.columns) == (3, 3)
    assert cells["Region"] == (0, 0, 2, 1)
    assert cells["Year"] == (0, 1, 1, 2)
    assert cells["14"] == (2, 2, 1, 1)
    assert confidence(table) == 1.0


def test_an_empty_cell_of_a_grid_stays_empty() -> None:
    lines = rows([["City", "Sites"], ["Leeds", ""], ["Dover", "3"]], (110, 210))
    rules = [level(at, 100, 300) for at in (96, 116, 136, 156)] + [upright(at, 96, 156) for at in (100, 200, 300)]
    (table,) = find_tables(lines, rules)
    assert table.grid() == [["City", "Sites"], ["Leeds", ""], ["Dover", "3"]]


def test_level_rules_alone_bound_a_table() -> None:
    lines = [line(PROSE, 100, 40), *rows(CITIES, (110, 210, 310)), line(PROSE, 100, 220)]
    (table,) = find_tables(lines, [level(at, 100, 380) for at in (96, 116, 178)])
    assert table.grid() == CITIES
    assert table.header_rows == 1


def test_rules_around_running_text_are_no_table() -> None:
    lines = [line(PROSE, 100, 100 + 20 * number) for number in range(6)]
    assert find_tables(lines, [level(90, 100, 620), level(230, 100, 620)]) == []


def test_columns_without_rules_are_a_table() -> None:
    lines = [line(PROSE, 100, 70), *rows(CITIES, (100, 220, 320)), line(PROSE, 100, 200)]
    (table,) = find_tables(lines, [])
    assert table.grid() == CITIES
    assert table.header_rows == 1


def test_two_tables_between_paragraphs_stay_two() -> None:
    lines = [*rows(CITIES, (100, 220, 320)), line(PROSE, 100, 190), *rows(CITIES, (100, 220, 320), top=220)]
    assert [table.grid() for table in find_tables(lines, [level(116, 100, 380), level(236, 100, 380)])] == [CITIES] * 2


def test_tables_beside_each_other_are_two() -> None:
    left = [["City", "Sites"], ["Bristol", "12"], ["Leeds", "7"], ["Dover", "31"]]
    lines = rows(left, (100, 180)) + rows(left, (330, 410))
    assert [table.grid() for table in find_tables(lines, [])] == [left, left]


def test_a_head_of_two_lines_is_one_row() -> None:
    texts = [["City", "Sites in", "Costs in"], ["", "2024", "euros"], *CITIES[1:]]
    (table,) = find_tables(rows(texts, (100, 220, 320), pitch=14), [level(at, 90, 400) for at in (97, 126, 172)])
    assert table.grid()[0] == ["City", "Sites in 2024", "Costs in euros"]
    assert table.header_rows == 1


def test_a_head_over_two_columns_spans_them() -> None:
    lines = [line("Inspections of sites", 225, 80), *rows([*CITIES, ["Salem", "5", "870"]], (100, 220, 320))]
    (table,) = find_tables(lines, [level(at, 100, 380) for at in (76, 116, 198)])
    assert [(cell.column, cell.column_span) for cell in table.cells if cell.row == 0] == [(1, 2)]


@pytest.mark.parametrize("width", [1, 2])
def test_running_text_in_columns_is_no_table(width: int) -> None:
    half = PROSE[:48]
    lines = [line(half, 100 + 330 * column, 100 + 20 * row) for row in range(20) for column in range(width)]
    assert find_tables(lines, []) == []


def test_labels_with_answers_are_no_table() -> None:
    texts = [["Name:", "Ruth Novak"], ["City:", "Leeds"], ["Born:", "1970"], ["Phone:", "555 123"]]
    assert find_tables(rows(texts, (100, 220)), []) == []


def test_columns_without_rules_are_less_sure_than_drawn_cells() -> None:
    (aligned,) = find_tables(rows(CITIES, (100, 220, 320)), [])
    (between,) = find_tables(rows(CITIES, (100, 220, 320)), [level(at, 90, 380) for at in (97, 116, 178)])
    assert confidence(aligned) < confidence(between) < 1


def test_a_page_without_lines_has_no_table() -> None:
    assert find_tables([], [level(10, 0, 100)]) == []


def _grid(count: int) -> list[Box]:
    return [level(6 * at, 0, 6 * count) for at in range(count)] + [upright(6 * at, 0, 6 * count) for at in range(count)]


HOSTILE: dict[str, tuple[list[TextLine], list[Box]]] = {
    "many words": ([line("7 8 9 1 2", 70 * (at % 20), 14 * (at // 20)) for at in range(2_000)], []),
    "words at one place": ([line("77", 100, 100)] * 10_000, []),
    "many rules": ([line("12", 40 * (at % 30), 14 * (at // 30)) for at in range(900)], _grid(3_000)),
    "rules at one place": (rows(CITIES, (100, 220, 320)), [level(110, 90, 400)] * 6_000),
    "rules of many widths": (
        [line(PROSE, 10, 14.0 * at) for at in range(300)],
        [level(at * 0.7, at * 3.0, 2_000 + at * 9.0) for at in range(6_000)],
    ),
    "one word a row": ([line("1", 3.0 * at, 15.0 * at) for at in range(10_000)], []),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_end_in_time(name: str) -> None:
    lines, rules = HOSTILE[name]
    started = time.process_time()
    find_tables(lines, rules)
    assert time.process_time() - started < MOST_S
