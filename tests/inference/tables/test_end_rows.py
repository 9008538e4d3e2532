"""Rows of words beyond the first and the last rule of a table with a rule for each row belong to it."""

import pytest

from inference.tables.page_tables import find_tables
from tests.inference.tables.printed import level, line, rows

HIVES = [["Site", "Hive no.", "Honey kg"], ["Mill", "12", "140.5"], ["Ridge", "7", "66.0"], ["Fen", "3", "20.9"]]
HIVES.append(["Quay", "9", "-101.2"])
LEFTS = (100, 160, 220)


@pytest.mark.parametrize("first", [96, 116], ids=["above each row", "below each row"])
def test_a_rule_for_each_row_loses_no_row(first: int) -> None:
    rules = [level(first + 20 * number, 96, 290) for number in range(len(HIVES))]
    (table,) = find_tables([line("Bees", 100, 60), *rows(HIVES, LEFTS), line("IBAN", 96, 206)], rules)
    assert table.grid() == HIVES
    assert table.header_rows == 1


def test_a_text_above_the_first_rule_that_stands_in_no_column_is_no_row() -> None:
    rules = [level(96 + 20 * number, 96, 290) for number in range(len(HIVES) + 1)]
    (table,) = find_tables([line("Hives by site", 100, 80), *rows(HIVES, LEFTS)], rules)
    assert table.grid() == HIVES
