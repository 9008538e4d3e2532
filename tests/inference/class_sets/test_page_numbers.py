"""Test the page numbers that are printed on pages."""

import pytest

from inference.class_sets.page_numbers import PageNumber, page_number_of


@pytest.mark.parametrize(
    ("line", "number", "count"),
    [
        ("Page 2 of 3", 2, 3),
        ("Northgate Ltd · page 1/4", 1, 4),
        ("Seite 2 von 12", 2, 12),
        ("Blatt 3", 3, None),
        ("Página 1 de 2", 1, 2),
        ("2/5", 2, 5),
        ("- 7 -", 7, None),
        ("12", 12, None),
    ],
)
def test_a_page_number_is_known(line: str, number: int, count: int | None) -> None:
    assert page_number_of(["Text of the page", "Total 7.50", line]) == PageNumber(number, count)


@pytest.mark.parametrize("line", ["", "Page 4 of 3", "Page 0", "Total 12.50", "pages to read", "3 copies of 5", "2026"])
def test_other_numbers_are_no_page_numbers(line: str) -> None:
    assert page_number_of(["Text of the page", line]) is None


def test_a_number_above_a_footer_is_known() -> None:
    assert page_number_of([*["text"] * 40, "Page 2", *["Bank of Leeds"] * 8]) == PageNumber(2, None)
