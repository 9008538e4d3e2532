"""Test that numbers are shown as spreadsheets show them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.documents.reader.opening.formats.number_formats import general, shown


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        (1234.5, "", "1234.5"),
        (1234.5, "General", "1234.5"),
        (0.1 + 0.2, "", "0.3"),
        (1e20, "", "1E+20"),
        (1234.5, "0", "1234"),
        (1234.567, "#,##0.00", "1,234.57"),
        (-1234.567, "#,##0.00", "-1,234.57"),
        (-5, "#,##0;(#,##0)", "(5)"),
        (0, '0;-0;"none"', "none"),
        (0.075, "0.0%", "7.5%"),
        (12, '#,##0.00 "€"', "12.00 €"),
        (12, "[$€-407] #,##0.00", "€ 12.00"),
        (12, '[Red]"$"0.00', "$12.00"),
        (-0.001, "0.00", "0.00"),
        (7, "000", "007"),
        (1.5, "0.0#", "1.5"),
        (1234567, "0.0,,", "1.2"),
        (12345, "0.00E+00", "1.23E+04"),
        (46082, "dd.mm.yyyy", "01.03.2026"),
        (46082.5, "yyyy-mm-dd hh:mm:ss", "2026-03-01 12:00:00"),
        (46082.75, "h:mm AM/PM", "6:00 PM"),
        (46082, "dddd, d mmmm yyyy", "Sunday, 1 March 2026"),
        (1.5, "[h]:mm", "36:00"),
        (45000.000011574, "mm:ss.0", "00:01.0"),
        (-3, "yyyy-mm-dd", "-3"),
        (1e15, "yyyy-mm-dd", "1E+15"),
        (5, "@", "5"),
    ],
)
def test_number_is_shown_as_its_format_says(value: float, code: str, expected: str) -> None:
    assert shown(value, code) == expected


def test_workbook_may_count_from_1904() -> None:
    assert shown(0, "yyyy-mm-dd", since_1904=True) == "1904-01-01"


@given(st.floats(), st.text(alphabet='0#?.,%E+-;"\\_*[]$hmsyd/ AMPGenral@€', max_size=40))
def test_no_format_and_no_number_is_an_error(value: float, code: str) -> None:
    assert isinstance(shown(value, code), str)


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e14, max_value=1e14))
def test_number_without_a_format_is_nearly_itself(value: float) -> None:
    assert float(general(value)) == pytest.approx(value, rel=1e-4, abs=1e-9)
