"""Test which texts of cells are numbers in a workbook."""

import pytest

from jobs.results.exports.cell_numbers import cell_number


@pytest.mark.parametrize(
    ("text", "value", "pattern"),
    [
        ("0", 0, "0"),
        ("42", 42, "0"),
        ("-7", -7, "0"),
        ("\u221212.50", -12.5, "0.00"),
        ("12,5", 12.5, "0.0"),
        ("0.125", 0.125, "0.000"),
        ("1,234,567", 1234567, "#,##0"),
        ("1.234,56", 1234.56, "#,##0.00"),
        ("1,234.56", 1234.56, "#,##0.00"),
        ("1234.567", 1234.567, "0.000"),
    ],
)
def test_a_text_that_means_one_number_is_that_number(text: str, value: float, pattern: str) -> None:
    found = cell_number(text)
    assert found is not None
    assert (found.value, found.pattern) == (value, pattern)


@pytest.mark.parametrize(
    "text",
    ["", "-", "1.234", "1,234", "007", "+49", "12 %", "1-2", "2024-05-01", "1.2.3", "5 EUR", "(12)", "1e5", "٣", "=1"],
)
def test_any_other_text_stays_text(text: str) -> None:
    assert cell_number(text) is None


@pytest.mark.parametrize(
    "text",
    ["1234567890123456", "9" * 5000, "1,23,456", "1.", ".5"],
)
def test_digits_that_are_no_usual_number_stay_text(text: str) -> None:
    assert cell_number(text) is None
