"""Test that corrected lines are put into the lines and the text of a result."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.corrected_results.applying import corrected_result


def result(text: str, *lines: str) -> dict[str, Any]:
    return {"text": text, "lines": [{"text": line, "box": None} for line in lines], "width": 5}


@pytest.mark.parametrize(
    ("text", "lines", "corrected", "wanted"),
    [
        ("a\nb\nc", ["a", "b", "c"], {1: "B!"}, "a\nB!\nc"),
        ("a a a", ["a", "a", "a"], {1: "b"}, "a b a"),
        ("one two\n\nthree", ["one", "two", "three"], {0: "1", 2: "3"}, "1 two\n\n3"),
        ("shipment left", ["ship-", "ment left"], {0: "chip-"}, "chipment left"),
        ("shipment left", ["ship-", "ment left"], {1: "ping left"}, "shipping left"),
        ("other words", ["gone", "words"], {0: "x", 1: "text"}, "other text"),
        ("same", ["same"], {0: "same"}, "same"),
    ],
)
def test_lines_are_replaced_where_they_are_in_the_text(
    text: str, lines: list[str], corrected: dict[int, str], wanted: str
) -> None:
    found = corrected_result(result(text, *lines), corrected)
    assert found["text"] == wanted
    assert [line["text"] for line in found["lines"]] == [corrected.get(n, line) for n, line in enumerate(lines)]
    assert found["width"] == 5


@pytest.mark.parametrize("odd", [{}, {"text": 5, "lines": "x"}, {"lines": [None, 5]}, {"text": "x", "lines": []}])
def test_other_results_stay_as_they_are(odd: dict[str, Any]) -> None:
    assert corrected_result(odd, {0: "x", 7: "y"}) == odd


@given(st.lists(st.text("ab-", max_size=4), max_size=8), st.dictionaries(st.integers(0, 9), st.text("xy"), max_size=4))
def test_what_nobody_corrected_stays(lines: list[str], corrected: dict[int, str]) -> None:
    before = result("\n".join(lines), *lines)
    found = corrected_result(before, corrected)
    assert found["text"] == "\n".join(corrected.get(n, line) if line else line for n, line in enumerate(lines))
    assert before == result("\n".join(lines), *lines)
