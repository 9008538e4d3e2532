"""Test that a page's lines are shown in the blocks of the result, each line once."""

from typing import Any

import pytest

from jobs.dashboard.reading.blocks import BlockView, block_views
from jobs.dashboard.reading.lines import line_views, read_lines
from jobs.search.queries import parsed


def box(left: float, top: float, right: float, bottom: float) -> list[list[float]]:
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


def shown(blocks: object, *lines: tuple[str, list[list[float]] | None]) -> list[BlockView]:
    result: dict[str, Any] = {"blocks": blocks, "lines": [{"text": text, "box": place} for text, place in lines]}
    return block_views(result, line_views(read_lines(result), {}, parsed("")))


def texts(blocks: list[BlockView]) -> list[tuple[str, list[list[str]]]]:
    return [(block.kind, [[line.text for line in row] for row in block.rows]) for block in blocks]


def test_lines_are_shown_in_the_order_of_the_blocks() -> None:
    blocks = [{"type": "heading", "level": 2, "lines": [1]}, {"type": "paragraph", "lines": [0, 2]}]
    found = shown(blocks, ("one", None), ("Title", None), ("two", None))
    assert texts(found) == [("heading", [["Title"]]), ("paragraph", [["one", "two"]])]
    assert [block.level for block in found] == [2, 0]


@pytest.mark.parametrize(
    "blocks",
    [None, "x", 5, [None], [{"lines": None}], [{"lines": "01"}], [{"lines": [7, -1, "0", None, [0]]}], [{}]],
)
def test_lines_without_a_block_are_shown_as_they_were_printed(blocks: object) -> None:
    assert texts(shown(blocks, ("one", None), ("two", None))) == [("loose", [["one", "two"]])]


def test_no_line_is_shown_twice_or_left_out() -> None:
    blocks = [{"type": 5, "lines": [0, 0]}, {"type": "marquee", "lines": [0, 1]}]
    found = shown(blocks, ("one", None), ("two", None), ("three", None))
    assert texts(found) == [("paragraph", [["one"]]), ("paragraph", [["two"]]), ("loose", [["three"]])]


@pytest.mark.parametrize(("level", "expected"), [(1, 1), (3, 3), (9, 3), (-1, 3), ("2", 3), (None, 3)])
def test_a_heading_has_a_level_from_one_to_three(level: object, expected: int) -> None:
    assert shown([{"type": "heading", "level": level, "lines": [0]}], ("x", None))[0].level == expected


def test_lines_of_a_table_beside_each_other_are_a_row() -> None:
    cells = [("a", box(0, 0, 9, 10)), ("b", box(20, 1, 29, 11)), ("c", box(0, 20, 9, 30)), ("d", None)]
    found = shown([{"type": "table", "lines": [0, 1, 2, 3]}], *cells)
    assert texts(found) == [("table", [["a", "b"], ["c"], ["d"]])]


def test_a_hyphen_joins_lines_and_a_short_line_ends_early() -> None:
    lines = [
        ("a ship-", box(0, 0, 200, 9)),
        ("ment", box(0, 10, 20, 19)),
        ("North-", box(0, 20, 190, 29)),
        ("East", None),
    ]
    (block,) = shown([{"type": "paragraph", "lines": [0, 1, 2, 3]}], *lines)
    assert [(line.runs_on, line.ends_early) for line in block.rows[0]] == [
        (True, False),
        (False, True),
        (False, False),
        (False, False),
    ]
    assert "".join(part.text for part in block.rows[0][0].parts) == "a ship"


def test_lines_of_a_narrow_block_are_lines_of_their_own() -> None:
    sums = [("Net 5", box(0, 0, 90, 10)), ("Total 6", box(0, 12, 100, 22))]
    (block,) = shown([{"type": "paragraph", "lines": [0, 1]}], *sums)
    assert [line.ends_early for line in block.rows[0]] == [True, True]
