from datetime import date

import pytest

from inference.fields.dates import find_dates, normalized_date, order_votes


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("12.03.2024", "2024-03-12"),
        ("12. 3. 24", "2024-03-12"),
        ("2024-03-12", "2024-03-12"),
        ("12. März 2024", "2024-03-12"),
        ("12 March 2024", "2024-03-12"),
        ("25 December 2023", "2023-12-25"),
        ("March 12th, 2024", "2024-03-12"),
        ("1er janvier 2024", "2024-01-01"),
        ("15 août 2024", "2024-08-15"),
        ("3 de mayo de 2024", "2024-05-03"),
        ("3 maggio 2024", "2024-05-03"),
        ("12-mrt-2024", "2024-03-12"),
        ("14/3/2024", "2024-03-14"),
        ("03/14/24", "2024-03-14"),
        ("5 Sept. 2024", "2024-09-05"),
        ("31.02.2024", None),
        ("1.234.56", None),
        ("12 bottles 2024", None),
        ("3/4/2024", None),
        ("1.1.2024 - 2.1.2024", None),
    ],
)
def test_date_is_an_iso_date_if_it_is_clear(text: str, iso: str | None) -> None:
    assert normalized_date(text) == iso


def test_order_of_day_and_month_decides_ambiguous_dates() -> None:
    assert normalized_date("3/4/2024", "dmy") == "2024-04-03"
    assert normalized_date("3/4/2024", "mdy") == "2024-03-04"
    assert find_dates("3/4/2024")[0].options == (date(2024, 4, 3), date(2024, 3, 4))


def test_dates_with_points_are_never_ambiguous() -> None:
    assert normalized_date("3.4.2024") == "2024-04-03"


def test_dates_that_are_possible_in_one_order_only_vote_for_it() -> None:
    dates = find_dates("12/25/2024, 1/2/2024, 13/1/2024 and 12/31/2024")
    assert order_votes(dates) == {"dmy": 1, "mdy": 2}
