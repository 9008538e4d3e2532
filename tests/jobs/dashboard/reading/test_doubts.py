"""Test which places of a page a person should check."""

from typing import Any

import pytest

from jobs.dashboard.reading.doubts import doubts_of

BOX = [[1, 2], [3, 2], [3, 4], [1, 4]]
LINES = [
    {"text": "sure", "confidence": 0.99},
    {"text": "unsure", "confidence": 0.4},
    {"text": "no", "confidence": None},
]


def places(result: dict[str, Any], *corrected: int) -> list[str]:
    return [doubt.place for doubt in doubts_of(3, result, corrected)]


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ({"lines": LINES}, ["2"]),
        ({"lines": LINES, "source": "mixed"}, ["2"]),
        ({"lines": LINES, "source": "text_layer"}, []),
        ({"warnings": [{"code": "blank"}, {"code": "handwriting", "box": BOX}], "lines": LINES}, ["w2", "2"]),
        ({"needs_review": True, "lines": LINES}, ["2"]),
        ({"needs_review": True}, ["page"]),
        ({"needs_review": "yes"}, []),
        ({"lines": "none", "warnings": 5}, []),
        ({"lines": [None, {"confidence": "low"}, {"confidence": -1}, {"confidence": True}]}, []),
    ],
)
def test_doubtful_places_are_lines_warnings_and_whole_pages(result: dict[str, Any], found: list[str]) -> None:
    assert places(result) == found


def test_a_corrected_line_is_settled() -> None:
    assert places({"lines": LINES, "needs_review": True}, 1) == []
