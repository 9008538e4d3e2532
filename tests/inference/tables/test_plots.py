"""Tests of plots, which are no tables."""

import pytest

from inference.layout.boxes import Box
from inference.tables.plots import is_plot
from inference.tables.words import Word


def words(rows: list[str], pitch: float = 30, step: float = 80) -> list[Word]:
    return [
        Word(text, Box(100 + step * column, 100 + pitch * row, 140 + step * column, 120 + pitch * row))
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts.split())
        if text != "."
    ]


@pytest.mark.parametrize(
    "rows",
    [
        ["2001 30.5 49.0 20.4", "2005 29.7 48.6 21.7", "0% 10% 20% 30% 40% 50%"],
        ["1 2 3 4 5 6", "wealth by decile", "95% interval mean high"],
        ["100 .", "50 low", "0 .", "-50 high"],
    ],
)
def test_words_with_an_axis_are_a_plot(rows: list[str]) -> None:
    found = words(rows)
    assert is_plot(found, Box.around(word.box for word in found))


@pytest.mark.parametrize(
    "rows",
    [
        ["Year 2001 2002 2003 2004 2005", "Exports 21 34 8 19 50", "Imports 7 9 12 3 8"],
        ["2020 3.7 1.6", "2019 5.0 3.9", "2018 1.5 1.5", "2017 3.5 2.0"],
        ["Rank Points", "3 100", "2 150", "1 250"],
    ],
)
def test_rows_of_a_table_are_none(rows: list[str]) -> None:
    found = words(rows)
    assert not is_plot(found, Box.around(word.box for word in found))


def test_rows_with_much_white_between_them_are_a_plot() -> None:
    found = words(["Greece Spain", "Ireland Italy", "Portugal UK"], pitch=200)
    assert is_plot(found, Box.around(word.box for word in found))
