"""Tests of the wrong characters of a reading, which are counted by the places of its lines."""

import pytest

from inference.factory.measures.located import Corners, Located, located_edits, true_length


def box(left: float, top: float, right: float, bottom: float) -> Corners:
    return (left, top), (right, top), (right, bottom), (left, bottom)


WORDS: list[Located] = [
    ("one", box(0, 0, 30, 10)),
    ("two", box(40, 0, 70, 10)),
    ("three", box(0, 20, 50, 30)),
]
ROWS: list[Located] = [("one two", box(0, 0, 70, 10)), ("three", box(0, 20, 50, 30))]


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        (ROWS, 0),
        (ROWS[::-1], 0),
        ([("one", box(0, 0, 32, 10)), ("two", box(38, 0, 70, 10)), ROWS[1]], 0),
        ([("one  twö", ROWS[0][1]), ROWS[1]], 1),
        (ROWS[:1], len("three") + 1),
        ([*ROWS, ("noise", box(0, 90, 70, 99))], len("noise")),
        ([], len("one") + len("two") + len("three") + 3),
    ],
)
def test_each_line_is_compared_with_the_words_in_its_box(lines: list[Located], wrong: int) -> None:
    assert located_edits(WORDS, lines) == wrong


def test_all_that_is_read_on_a_blank_page_is_wrong() -> None:
    assert located_edits([], [("a  b", box(0, 0, 9, 9))]) == 3


def test_the_length_counts_the_spaces_between_words() -> None:
    assert true_length(WORDS) == len("one two three")
