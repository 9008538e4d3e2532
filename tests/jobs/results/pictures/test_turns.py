"""Test that a turn is read from a result, whatever else an added model put there."""

import math

import pytest

from jobs.results.pictures.turns import NOT_TURNED, Turn, turn_of

SHEET = [[10, 10], [90, 12], [88, 180], [12, 178]]


@pytest.mark.parametrize(
    ("result", "turn"),
    [
        (None, NOT_TURNED),
        ({"text": "old"}, NOT_TURNED),
        ({"rotation": 0, "angle": 0.0, "sheet": None}, NOT_TURNED),
        ({"rotation": 90, "angle": -1.5, "sheet": None}, Turn(90, -1.5)),
        ({"sheet": SHEET}, Turn(0, 0.0, ((10, 10), (90, 12), (88, 180), (12, 178)))),
    ],
)
def test_a_turn_is_what_the_result_names(result: dict[str, object] | None, turn: Turn) -> None:
    assert turn_of(result) == turn


@pytest.mark.parametrize(
    "values",
    [
        {"rotation": 91},
        {"rotation": True},
        {"rotation": 90.0},
        {"rotation": "90"},
        {"angle": math.nan},
        {"angle": math.inf},
        {"angle": 10**400},
        {"angle": 90},
        {"angle": None},
        {"sheet": SHEET[:3]},
        {"sheet": "four"},
        {"sheet": [[0, 0], [1, 0], [1, 1], [0, "1"]]},
        {"sheet": [[0, 0], [1, 0], [1, 1], [0, 1, 2]]},
        {"sheet": {"a": 1}},
    ],
)
def test_values_that_make_no_sense_count_as_not_turned(values: dict[str, object]) -> None:
    assert turn_of({"rotation": 90, **values}) == NOT_TURNED


def test_turns_that_differ_have_different_keys() -> None:
    turns = [NOT_TURNED, Turn(90), Turn(180), Turn(90, 0.1), Turn(0, 0.1), turn_of({"sheet": SHEET})]
    assert len({turn.key for turn in turns}) == len(turns)
