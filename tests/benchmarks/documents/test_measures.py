"""Test the measures of reading against plain definitions of them."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.documents import measures


def plain_edits(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        last, row = row, [number]
        for at, wanted in enumerate(other, 1):
            row.append(min(last[at] + 1, row[-1] + 1, last[at - 1] + (letter != wanted)))
    return row[-1]


@given(st.text("abcé ", max_size=12), st.text("abcé ", max_size=12))
def test_edits_are_the_fewest(one: str, other: str) -> None:
    assert measures.edits(one, other) == measures._edits(one, other) == plain_edits(one, other)


@pytest.mark.parametrize(
    ("truth", "read", "rate"),
    [
        ("abcd", "abcd", 0.0),
        ("abcd", "abxd", 0.25),
        ("abcd", "", 1.0),
        ("a  b\n\nc", " a b c ", 0.0),
        ("Caf\u00e9", "Cafe\u0301", 0.0),
        ("", "", 0.0),
        ("  ", "x", 1.0),
        ("ab", "abcdef", 2.0),
    ],
)
def test_character_error_rate_folds_white_space_and_accents(truth: str, read: str, rate: float) -> None:
    assert measures.character_error_rate(truth, read) == pytest.approx(rate)


@given(st.lists(st.integers(0, 9), max_size=30))
def test_inversions_are_all_pairs_in_the_wrong_order(numbers: list[int]) -> None:
    assert measures.inversions(numbers) == sum(one > other for one, other in combinations(numbers, 2))


def test_tau_is_one_for_the_same_order_and_minus_one_for_the_reverse() -> None:
    words = ["one", "two", "three", "four", "five"]
    assert measures.kendall_tau(words, words) == 1
    assert measures.kendall_tau(words, words[::-1]) == -1


def test_tau_counts_pairs_in_the_wrong_order_among_words_that_both_have() -> None:
    assert measures.kendall_tau(["a", "b", "c", "d", "x"], ["a", "c", "y", "b", "d"]) == pytest.approx(1 - 2 / 6)


def test_repeated_words_are_matched_where_they_are_expected() -> None:
    truth = ["the", "cat", "and", "the", "dog", "and", "the", "bird"]
    assert measures.matched_places(truth, truth) == list(range(8))
    assert measures.matched_places(truth, truth[2:]) == list(range(6))


def test_a_swapped_column_costs_what_its_pairs_are_worth() -> None:
    left, right = [f"l{n}" for n in range(10)], [f"r{n}" for n in range(10)]
    assert measures.kendall_tau(left + right, right + left) == pytest.approx(1 - 2 * 100 / 190)


def test_nothing_in_common_is_no_order() -> None:
    assert measures.kendall_tau(["a", "b"], ["c"]) == 0
    assert measures.kendall_tau(["a"], []) == 1


def test_honest_confidence_has_no_calibration_error() -> None:
    assert measures.calibration_error([0.75] * 4, [1, 1, 1, 0]) == pytest.approx(0)
    assert measures.calibration_error([], []) == 0


def test_calibration_error_weighs_bins_by_their_members() -> None:
    assert measures.calibration_error([0.95, 0.95, 0.95, 0.05], [0, 0, 0, 0]) == pytest.approx((3 * 0.95 + 0.05) / 4)
