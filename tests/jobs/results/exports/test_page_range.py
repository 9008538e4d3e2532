"""Tests of which pages are selected, and of how their numbers are written."""

import pytest

from jobs.results.exports.page_range import NotAPageRange, PageRange, in_words, page_range


@pytest.mark.parametrize(
    ("written", "expected"),
    [(None, PageRange(1, 9)), ("7", PageRange(7, 7)), ("2-9", PageRange(2, 9)), ("1-1", PageRange(1, 1))],
)
def test_a_range_is_understood(written: str | None, expected: PageRange) -> None:
    assert page_range(written, 9) == expected


@pytest.mark.parametrize("written", ["", "x", "0", "3-2", "1-10", "-3", "1-2-3", "1" * 12])
def test_what_is_no_range_of_this_job_is_refused_with_what_came(written: str) -> None:
    with pytest.raises(NotAPageRange, match=f"pages='?{written[:10]}"):
        page_range(written, 9)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [([3], "3"), ([3, 4, 5], "3-5"), ([1, 3, 4, 9], "1, 3-4 and 9"), ([1, 9], "1 and 9")],
)
def test_numbers_are_said_in_stretches(numbers: list[int], words: str) -> None:
    assert in_words(numbers) == words


def test_a_long_list_of_numbers_is_cut() -> None:
    assert in_words(range(1, 2000, 2)).endswith("37, 39 and more")
