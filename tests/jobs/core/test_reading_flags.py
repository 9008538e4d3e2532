import math

import pytest

from jobs.core.reading_flags import LONGEST_LABEL, ReadingFlags, flags_of_columns, reading_flags

SURE = {"invoice": 0.75, "letter": 0.25}


@pytest.mark.parametrize(
    ("result", "flags"),
    [
        ({}, ReadingFlags()),
        ({"text": "read"}, ReadingFlags()),
        ({"quality": 0.93, "needs_review": False}, ReadingFlags(quality=0.93)),
        ({"quality": 0, "needs_review": True}, ReadingFlags(quality=0.0, needs_review=True)),
        ({"quality": 1}, ReadingFlags(quality=1.0)),
        ({"class": {"label": "invoice", "probabilities": SURE}}, ReadingFlags(probabilities=SURE, label="invoice")),
        ({"class": {"label": "unsure", "probabilities": SURE}}, ReadingFlags(probabilities=SURE, label="unsure")),
        ({"class": {"label": "lie", "probabilities": SURE}}, ReadingFlags(probabilities=SURE, label="invoice")),
        ({"class": {"label": 7, "probabilities": SURE}}, ReadingFlags(probabilities=SURE, label="invoice")),
        ({"class": {"probabilities": {"a": 1}}}, ReadingFlags(probabilities={"a": 1.0}, label="a")),
    ],
)
def test_flags_are_read_from_a_result(result: object, flags: ReadingFlags) -> None:
    assert reading_flags(result) == flags


@pytest.mark.parametrize("result", [None, [], "text", 3])
def test_a_result_that_is_no_object_has_no_flags(result: object) -> None:
    assert reading_flags(result) == ReadingFlags()


@pytest.mark.parametrize(
    "quality", [math.nan, math.inf, -math.inf, 1e9, -0.1, 10**400, "x", "0.5", True, False, None, [], {}, [0.5]]
)
def test_a_quality_that_is_no_share_counts_as_missing(quality: object) -> None:
    assert reading_flags({"quality": quality}).quality is None


@pytest.mark.parametrize("value", ["yes", "true", 1, 1.0, None, [], [True], {"a": 1}])
def test_only_true_says_that_a_page_needs_review(value: object) -> None:
    assert reading_flags({"needs_review": value}).needs_review is False


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        ["invoice"],
        "invoice",
        7,
        {},
        {"label": "invoice", "score": 0.9, "scores": {"invoice": 0.9}},
        {"label": "invoice", "probabilities": None},
        {"label": "invoice", "probabilities": []},
        {"label": "invoice", "probabilities": {}},
        {"label": "invoice", "probabilities": {"invoice": "1"}},
        {"label": "invoice", "probabilities": {"invoice": math.nan}},
        {"label": "invoice", "probabilities": {"invoice": True}},
        {"label": "invoice", "probabilities": {"invoice": 1.5, "letter": -0.5}},
        {"label": "invoice", "probabilities": {"invoice": 0.5}},
        {"label": "invoice", "probabilities": {"invoice": 0.9, "letter": 0.9}},
        {"label": "invoice", "probabilities": {"": 1.0}},
        {"label": "invoice", "probabilities": {"a\0b": 1.0}},
        {"label": "invoice", "probabilities": {"\ud800": 1.0}},
        {"label": "invoice", "probabilities": {"x" * (LONGEST_LABEL + 1): 1.0}},
        {"label": "invoice", "probabilities": {3: 1.0}},
        {"label": "invoice", "probabilities": {f"label {index}": 0.01 for index in range(100)}},
    ],
)
def test_a_class_without_sound_probabilities_counts_as_missing(value: object) -> None:
    flags = reading_flags({"class": value})
    assert (flags.probabilities, flags.label) == (None, None)


def test_flags_are_the_same_when_they_are_read_back_from_columns() -> None:
    flags = reading_flags({"quality": 0.5, "needs_review": True, "class": {"probabilities": SURE}})
    assert flags_of_columns(0.5, True, SURE) == flags
    assert flags_of_columns(None, False, None) == ReadingFlags()
