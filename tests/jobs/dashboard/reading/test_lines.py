"""Test that the text that was searched for is marked in each text line."""

import pytest

from jobs.dashboard.reading.lines import marked_lines
from jobs.search.queries import parsed


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", []),
        ("missing", []),
        ("total", ["Total", "total"]),
        ("tot", ["Total", "total"]),
        ("-total due", ["due"]),
        ('"due total"', ["due", "total"]),
    ],
)
def test_words_are_marked_as_the_list_finds_them(typed: str, expected: list[str]) -> None:
    lines = ["Total: 5 EUR due", "", "total of all"]
    found = marked_lines(lines, parsed(typed))
    assert ["".join(part.text for part in parts) for parts in found] == lines
    assert [part.text for parts in found for part in parts if part.marked] == expected
