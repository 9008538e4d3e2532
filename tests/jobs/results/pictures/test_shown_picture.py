"""Test which rightings of a picture are carried out."""

import pytest

from inference.pictures.righting import Righting
from jobs.results.pictures.shown_picture import righting_of

SHEET = [[10, 10], [90, 12], [88, 180], [12, 178]]


def test_a_righting_is_built_from_the_stored_size() -> None:
    result = {"rotation": 270, "angle": 1.25, "sheet": SHEET}
    sheet = ((10.0, 10.0), (90.0, 12.0), (88.0, 180.0), (12.0, 178.0))
    assert righting_of(result, 100, 200) == Righting(100, 200, 270, 1.25, sheet)


@pytest.mark.parametrize(
    "result",
    [
        None,
        {},
        {"rotation": "90"},
        {"sheet": [[0, 0], [900, 0], [900, 180], [0, 180]]},
        {"sheet": [[0, 0], [90, 180], [90, 0], [0, 180]]},
        {"sheet": [[0, 0], [5, 0], [5, 5], [0, 5]]},
        {"sheet": [[50, 50]] * 4},
    ],
)
def test_nothing_is_done_for_values_that_make_no_sense(result: dict[str, object] | None) -> None:
    assert righting_of(result, 100, 200) is None


def test_no_picture_becomes_much_larger_than_the_stored_one() -> None:
    assert righting_of({"angle": 45}, 100, 200) is not None
    assert righting_of({"angle": 45}, 4, 20_000) is None
