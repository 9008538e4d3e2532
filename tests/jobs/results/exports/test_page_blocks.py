"""Test that blocks are read from results of any shape, each with its text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.layout.boxes import Box, PageLine
from inference.layout.page_layout import lay_out
from inference.tables.table import Table
from jobs.results.exports.page_blocks import TextBlock, blocks_of, body_of, with_letterhead
from tests.jobs.results.exports.conftest import WIDTH, box, line
from tests.jobs.results.exports.test_page_lines import JSON

LINES = [
    line("Report", box(100, 50, 300, 60)),
    line("A paragraph that runs on in the next prin-", box(100, 200, WIDTH)),
    line("ted line, and ends.", box(100, 250, 400)),
    line("7", box(400, 950, 20)),
]
BLOCKS: list[dict[str, Any]] = [
    {"type": "heading", "level": 1, "box": box(100, 50, 300, 60), "lines": [0]},
    {"type": "paragraph", "box": None, "lines": [1, 2]},
    {"type": "page_number", "box": None, "lines": [3]},
]
PARAGRAPH = "A paragraph that runs on in the next printed line, and ends."


def result(**changed: Any) -> dict[str, Any]:
    return {"text": f"Report\n\n{PARAGRAPH}\n\n7", "lines": LINES, "blocks": BLOCKS, **changed}


def pairs(blocks: list[TextBlock]) -> list[tuple[str, str]]:
    return [(block.type, block.text) for block in blocks]


EXPECTED = [("heading", "Report"), ("paragraph", PARAGRAPH), ("page_number", "7")]


def test_each_block_has_its_part_of_the_text() -> None:
    assert pairs(blocks_of(result())) == EXPECTED


def test_blocks_of_another_text_are_joined_from_their_lines() -> None:
    assert pairs(blocks_of(result(text="Something else"))) == EXPECTED


def test_lines_that_no_block_names_follow_at_the_end() -> None:
    found = blocks_of(result(blocks=BLOCKS[:1]))
    assert [(block.type, block.number) for block in found] == [("heading", 0), ("paragraph", None)]
    assert found[1].text.endswith("7")


def test_a_line_is_in_one_block_alone() -> None:
    found = blocks_of(result(blocks=[{"type": "paragraph", "lines": [0, 0, 0, True, 9, "1"]}] * 3))
    assert [block.text for block in found if "Report" in block.text] == ["Report"]


def test_an_unknown_type_is_a_paragraph_and_a_level_is_within_bounds() -> None:
    blocks = [{"type": ["x"], "lines": [0]}, {"type": "heading", "level": 10**30, "lines": [3]}]
    assert [(block.type, block.level) for block in blocks_of(result(blocks=blocks))][:2] == [
        ("paragraph", 1),
        ("heading", 3),
    ]


def test_a_table_has_cells() -> None:
    lines = [
        line("Subtotal", box(0, 0, 100)),
        line("858.50", box(500, 0, 100)),
        line("VAT", box(0, 50, 100)),
        line("171.70", box(500, 50, 100)),
    ]
    (table,) = blocks_of({"lines": lines, "blocks": [{"type": "table", "lines": [0, 1, 2, 3]}]})
    assert table.cells == (("Subtotal", "858.50"), ("VAT", "171.70"))
    assert table.text == "Subtotal 858.50\nVAT 171.70"


def test_a_result_without_blocks_has_paragraphs_by_its_gaps() -> None:
    lines = [line("one", box(0, 0, 500)), line("two", box(0, 150, 500))]
    assert pairs(blocks_of({"text": "one\ntwo", "lines": lines})) == [("paragraph", "one"), ("paragraph", "two")]


def test_the_body_has_no_edges_and_its_notes_last() -> None:
    types = ["header", "footnote", "paragraph", "footer", "page_number"]
    assert [block.type for block in body_of([TextBlock(type_, "x") for type_ in types])] == ["paragraph", "footnote"]


@pytest.mark.parametrize(("number", "expected"), [(1, ["Joe's Diner", "2 Pies"]), (2, ["2 Pies"])])
def test_headers_of_the_first_page_alone_are_in_the_body(number: int, expected: list[str]) -> None:
    blocks = [TextBlock("header", "Joe's Diner"), TextBlock("paragraph", "2 Pies"), TextBlock("page_number", "1")]
    assert [block.text for block in body_of(with_letterhead(blocks, number))] == expected


WORDS = st.lists(st.text("abcXYZ019-.,•", min_size=1, max_size=8), min_size=1, max_size=6).map(" ".join)
PLACES = st.tuples(st.integers(0, 6), st.integers(0, 40))


@given(st.dictionaries(PLACES, WORDS, min_size=1, max_size=30))
def test_the_texts_of_a_layouts_blocks_are_the_text_of_its_page(placed: dict[tuple[int, int], str]) -> None:
    given_lines = [
        PageLine(index, text, Box(150 * column, 50 * row, 150 * column + 12 * len(text), 50 * row + 30))
        for index, ((column, row), text) in enumerate(placed.items())
    ]
    page = lay_out(given_lines, 2_100)
    numbers = iter(range(len(given_lines)))
    blocks = [
        {"type": block.type, "lines": [next(numbers) for row in block.paragraph.rows for _ in row.lines]}
        for block in page.blocks
    ]
    lines = [line(given_lines[index].text, [list(c) for c in given_lines[index].box.corners()]) for index in page.order]
    found = blocks_of({"text": page.text, "lines": lines, "blocks": blocks})
    assert "\n\n".join(block.text for block in found) == page.text


@given(st.fixed_dictionaries({}, optional={"lines": JSON, "blocks": JSON, "text": JSON}), st.lists(JSON, max_size=4))
def test_any_value_can_be_read(values: dict[str, Any], blocks: list[Any]) -> None:
    for given_result in (values, result(**values), result(blocks=blocks), result(blocks=[{"lines": blocks}])):
        assert all(isinstance(block.text, str) for block in blocks_of(given_result))


TABLE: dict[str, Any] = {
    "box": None,
    "rows": 2,
    "columns": 2,
    "header_rows": 1,
    "continues": False,
    "cells": [
        {"row": 0, "column": 0, "row_span": 1, "column_span": 2, "text": "Sums | all", "box": None, "confidence": 1.0,
         "header": True},
        {"row": 1, "column": 0, "row_span": 1, "column_span": 1, "text": "VAT", "box": None, "confidence": 1.0,
         "header": False},
        {"row": 1, "column": 1, "row_span": 1, "column_span": 1, "text": "20", "box": None, "confidence": 1.0,
         "header": False},
    ],
}  # fmt: skip


def with_table(table: Any = TABLE, number: Any = 0, text: str = "20") -> dict[str, Any]:
    lines = [{"text": "Sums | all", "box": None}, {"text": f"VAT\t{text}", "box": None}]
    return {
        "text": f"Sums | all\nVAT\t{text}",
        "lines": lines,
        "blocks": [{"type": "table", "box": None, "lines": [0, 1], "table": number}],
        "tables": [table],
    }


def test_a_block_has_the_table_that_it_names() -> None:
    (block,) = blocks_of(with_table())
    assert block.table == Table.of_json(TABLE)


@pytest.mark.parametrize(
    ("table", "number"),
    [
        (None, 0),
        ({}, 0),
        (TABLE, 1),
        (TABLE, -1),
        (TABLE, True),
        (TABLE, "0"),
        ({**TABLE, "rows": 10**9}, 0),
        ({**TABLE, "columns": 1}, 0),
        ({**TABLE, "cells": [{**TABLE["cells"][0], "row": -1}]}, 0),
        ({**TABLE, "cells": [{**TABLE["cells"][0], "row_span": 10**12}]}, 0),
    ],
)
def test_a_table_that_makes_no_sense_is_none(table: Any, number: Any) -> None:
    assert [block.table for block in blocks_of(with_table(table, number))] == [None]


def test_a_table_whose_lines_were_corrected_is_shown_by_its_lines() -> None:
    (block,) = blocks_of(with_table(text="21"))
    assert (block.table, block.text) == (None, "Sums | all\nVAT 21")
