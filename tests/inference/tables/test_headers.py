"""Rows with values are no header rows."""

from inference.tables.headers import with_headers
from inference.tables.table import Cell, Table


def header_rows(*texts: tuple[str, ...]) -> int:
    cells = tuple(Cell(row, column, text, None) for row, each in enumerate(texts) for column, text in enumerate(each))
    return with_headers(Table(len(texts), len(texts[0]), cells)).header_rows


def test_a_row_with_one_value_among_texts_ends_the_header() -> None:
    items = [("1", "Oak counter", "1 piece", "1,480.00"), ("2", "Assembly", "on site", "377.00")]
    totals = [("", "", "19 % tax", "347.32"), ("", "", "", "2,175.32"), ("", "", "", "2,175.32"), ("", "", "", "9.00")]
    assert header_rows(("No.", "Name", "Amount of it", "Sum"), *items, *totals) == 1


def test_a_table_whose_first_row_has_a_value_has_no_header() -> None:
    assert header_rows(("036", "Part number 341", "45.00", "late"), ("037", "Part number 378", "46.25", "ok")) == 0


def test_years_are_heads() -> None:
    assert header_rows(("City", "2023", "2024"), ("Leeds", "7", "9"), ("Dover", "31", "35")) == 1
