"""Tests of how codes and tick boxes are shown."""

from typing import Any

from jobs.dashboard.reading.marks import CodeView, MarkView, code_views, mark_views


def test_codes_and_marks_are_shown_with_plain_names() -> None:
    result = {
        "codes": [
            {"symbology": "ean13", "text": "4006381333931"},
            {"symbology": "aztec", "text": "", "base64": "AAE="},
        ],
        "marks": [{"label": "Yes", "checked": True}],
    }
    assert code_views(result) == [
        CodeView("EAN-13", "4006381333931", is_binary=False),
        CodeView("Aztec", "AAE=", is_binary=True),
    ]
    assert mark_views(result) == [MarkView("Yes", checked=True)]


def test_what_an_added_model_returns_under_these_names_is_no_error() -> None:
    results: tuple[Any, ...] = (
        None,
        "text",
        3,
        [1],
        [{}],
        {"a": 1},
        [{"symbology": 1, "text": 2}],
        [{"label": 1, "checked": "x"}],
    )
    for strange in results:
        assert code_views({"codes": strange}) == []
        assert mark_views({"marks": strange}) == []
