"""Test that the arithmetic of bills is found, and none elsewhere."""

import pytest

from inference.classes.sums import sums_on


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("net 56.00\nVAT 11.20\ntotal 67.20", 1),
        ("3 chairs at 12.50 37.50", 1),
        ("2 x 1.250,00 = 2.500,00", 1),
        ("869,40 €\n165,19 €\n1.034,59 €", 1),
        ("soup 4.50\nfish 12.90\ncake 5.20", 0),
        ("on 12.05.2024 at 10:30, page 1 of 2", 0),
        ("in 2019 there were 5, in 2020 7 and 12 after that", 0),
        ("", 0),
    ],
)
def test_sums_and_products_are_counted(text: str, count: int) -> None:
    assert sums_on(text) == count
