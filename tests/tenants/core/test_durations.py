"""Tests of how a duration, and the time since a moment, are put into words."""

import pytest

from tenants.core.durations import age, duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-1, "0 ms"),
        (0, "0 ms"),
        (0.0002, "1 ms"),
        (0.04, "40 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.0 s"),
        (2.44, "2.4 s"),
        (9.96, "10 s"),
        (59.6, "1 min"),
        (65, "1 min 5 s"),
        (12_000, "3 h 20 min"),
        (86_400 + 59, "1 d"),
        (187_200, "2 d 4 h"),
    ],
)
def test_a_duration_is_exact_where_it_is_short(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-1, "0 s"),
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (7200, "2 h"),
        (172_799, "47 h"),
        (172_800, "2 days"),
    ],
)
def test_an_age_is_told_in_one_unit(seconds: float, words: str) -> None:
    assert age(seconds) == words
