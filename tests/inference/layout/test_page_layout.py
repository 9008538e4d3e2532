import random
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inference.layout.boxes import Box, PageLine
from inference.layout.page_layout import PageLayout, lay_out

TEXTS = st.sampled_from(
    ["", "a", "some words of text", "12", "• an item", "1 A note", "سلام", "exam-", "Fig. 1", "Total:"]
)
PLACES = st.one_of(st.integers(0, 40).map(float), st.floats(0, 1500), st.sampled_from([-1e9, -5.0, 1e9, 1e12]))
SIZES = st.one_of(st.sampled_from([0.0, 10.0, 20.0, 300.0]), st.floats(0, 400), st.just(1e9))
LINES = st.lists(st.tuples(TEXTS, PLACES, PLACES, SIZES, SIZES), max_size=40)
HEIGHTS = st.sampled_from([0.0, 1.0, 1400.0, 1e6])

Given = list[tuple[str, float, float, float, float]]
MANY = 2000
MOST_CALLS = 1200
"""The calls of functions for each line that a page with many lines may take. It takes a multiple if work is squared."""


def page_lines(given_lines: Given) -> list[PageLine]:
    return [
        PageLine(index, text, Box(left, top, left + width, top + height))
        for index, (text, left, top, width, height) in enumerate(given_lines)
    ]


def written(layout: PageLayout) -> list[tuple[str, list[tuple[str, Box]]]]:
    """Return a layout without the numbers that its lines were given."""
    return [
        (block.type, [(line.text, line.box) for row in block.paragraph.rows for line in row.lines])
        for block in layout.blocks
    ]


@given(LINES, HEIGHTS)
@example([("same", 5.0, 5.0, 50.0, 10.0)] * 30, 1400.0)
@example([("point", 5.0, 5.0, 0.0, 0.0)] * 30, 1400.0)
@example([("nested", float(i), float(i), 100.0 - 2 * i, 100.0 - 2 * i) for i in range(40)], 1400.0)
@example([("stair", 30.0 * i, 30.0 * i, 20.0, 20.0) for i in range(40)], 1400.0)
def test_every_line_is_in_exactly_one_block(given_lines: Given, page_height: float) -> None:
    layout = lay_out(page_lines(given_lines), page_height)
    assert sorted(layout.order) == list(range(len(given_lines)))
    assert all(block.paragraph.rows for block in layout.blocks)
    assert 0 <= layout.certainty <= 1


@given(LINES, st.randoms(use_true_random=False))
def test_the_layout_does_not_depend_on_the_order_of_the_given_lines(given_lines: Given, chance: random.Random) -> None:
    shuffled = list(given_lines)
    chance.shuffle(shuffled)
    one, other = lay_out(page_lines(given_lines), 1400.0), lay_out(page_lines(shuffled), 1400.0)
    assert written(one) == written(other)
    assert one.text == other.text


@given(LINES)
def test_the_text_has_every_letter_of_the_lines(given_lines: Given) -> None:
    layout = lay_out(page_lines(given_lines), 1400.0)
    assert Counter(layout.text.replace("-", "").replace("\n", "").replace(" ", "")) == Counter(
        "".join(text for text, *_ in given_lines).replace("-", "").replace(" ", "")
    )


def test_a_page_without_lines_has_no_blocks() -> None:
    layout = lay_out([], 1400.0)
    assert (layout.blocks, layout.text, layout.order) == ((), "", [])


def deep(left: float, top: float, side: float, depth: int) -> Given:
    if not depth:
        return [("word", left, top, 0.9 * side, 0.9 * side)]
    half = side / 2
    corners = ((left, top), (left + half, top), (left, top + half), (left + half, top + half))
    return [each for corner in corners for each in deep(*corner, half, depth - 1)]


def spiral(count: int) -> Given:
    """Return lines around each other, so that every cut parts only one from the rest."""
    lines: Given = []
    left, top, right, bottom = 0.0, 0.0, 1e5, 1e5
    for index in range(count):
        thick = 30.0
        match index % 4:
            case 0:
                lines.append(("word", left, top, right - left, 20.0))
                top += thick
            case 1:
                lines.append(("word", right - 20, top, 20.0, bottom - top))
                right -= thick
            case 2:
                lines.append(("word", left, bottom - 20, right - left, 20.0))
                bottom -= thick
            case _:
                lines.append(("word", left, top, 20.0, bottom - top))
                left += thick
    return lines


def scattered(index: int) -> tuple[str, float, float, float, float]:
    return "a word", index * 7919 % 100_003, index * 104_729 % 100_019, 60.0, 10.0


STRANGE: dict[str, Callable[[], Given]] = {
    "column": lambda: [("some words of text", 0.0, 12.0 * i, 500.0, 10.0) for i in range(MANY)],
    "row": lambda: [("word", 12.0 * i, 0.0, 10.0, 10.0) for i in range(MANY)],
    "columns": lambda: [("some words of text", 300.0 * (i % 2), 6.0 * i, 280.0, 10.0) for i in range(MANY)],
    "equal": lambda: [("same", 0.0, 0.0, 50.0, 10.0) for _ in range(MANY)],
    "points": lambda: [("point", index * 7919 % 1009, index * 31 % 1013, 0.0, 0.0) for index in range(MANY)],
    "without width": lambda: [("line", 0.0, 0.0, 0.0, 10.0) for _ in range(MANY)],
    "diagonal": lambda: [("word", 12.0 * i, 12.0 * i, 10.0, 10.0) for i in range(MANY)],
    "scattered": lambda: [scattered(i) for i in range(MANY)],
    "deep": lambda: deep(0, 0, 1e5, 5) * 2,
    "spiral": lambda: spiral(MANY),
}


@pytest.mark.parametrize("name", STRANGE)
def test_the_work_for_many_lines_stays_in_proportion(name: str) -> None:
    lines = page_lines(STRANGE[name]())
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        layout = lay_out(lines, 1400.0)
    finally:
        sys.setprofile(before)
    assert calls <= MOST_CALLS * len(lines)
    assert sorted(layout.order) == list(range(len(lines)))
