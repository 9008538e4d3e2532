"""Fields of any page: no text and no box makes the engine fail, and what it returns is on the page."""

import json
import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.core.contracts import Quad, TextLine
from inference.fields.candidates import page_candidates
from inference.fields.document import document_fields
from inference.fields.pairs import page_pairs
from inference.layout.boxes import Box
from inference.tables.table import Cell, Table

_WORDS = """Rechnung Invoice Total Netto MwSt. 19 % 1.234,56 € -5,00 12.03.2024 03/04/2024 Nr. no. : IBAN DE89 3704 0044
0532 0130 00 DE136695976 GmbH · | .... … an To Datum Summe EUR 100.00 ٣٤ １２ º x 2 ( ) -"""
WORDS = st.sampled_from(_WORDS.split())
TEXTS = st.one_of(st.lists(WORDS, max_size=9).map(" ".join), st.text(max_size=30))
PLACES = st.one_of(st.integers(0, 40).map(lambda step: 25.0 * step), st.floats(-100, 1e6))
SIZES = st.one_of(st.just(20.0), st.floats(0, 500))
BOXES = st.one_of(
    st.none(),
    st.builds(lambda x, y, w, h: Box(x, y, x + w, y + h).corners(), PLACES, PLACES, SIZES, SIZES),
)
LINES = st.lists(st.builds(TextLine, TEXTS, BOXES, st.one_of(st.none(), st.floats(0, 1))), max_size=30)
GRIDS = st.lists(st.lists(TEXTS, min_size=4, max_size=4), min_size=1, max_size=5)
INVOICE = {"probabilities": {"invoice": 1.0}}
MANY = 200
MAX_CALLS = 6000
"""The calls of functions for each line that a page with many lines may take. It takes a multiple if work is squared."""


@given(st.lists(LINES, max_size=3), GRIDS)
def test_what_is_returned_is_on_its_page(pages: list[list[TextLine]], grid: list[list[str]]) -> None:
    cells = tuple(Cell(row, column, text, None) for row, texts in enumerate(grid) for column, text in enumerate(texts))
    tables = [Table(len(grid), 4, cells)]
    found = [page_candidates(lines, tables, 1000, 1400, INVOICE) for lines in pages]
    result = document_fields(json.loads(json.dumps(found)))
    for field in result["fields"]:
        assert field["quote"] in [line.text for line in pages[field["page"] - 1]]
        assert field["value"] in field["quote"]
        assert 0 <= field["confidence"] <= 1
    names = [field["name"] for field in result["fields"]]
    assert len(set(names)) == len(names)


@given(LINES)
def test_pairs_are_in_the_text_of_the_page(lines: list[TextLine]) -> None:
    texts = [line.text for line in lines]
    for pair in page_pairs(lines, 1000, 1400):
        assert any(pair["key"] in text for text in texts)
        assert any(pair["value"] in text for text in texts)


def calls_for(lines: list[TextLine]) -> int:
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        page_candidates(lines, (), 1000, 1400, INVOICE)
        page_pairs(lines, 1000, 1400)
    finally:
        sys.setprofile(None)
    return calls


TEXT = "Total Nr. 12 12.03.2024 1.234,56 € 20457 Hamburg GmbH"
APART = [Box(80, 25.0 * row, 700, 25.0 * row + 18).corners() for row in range(MANY)]
SAME = [Box(80, 80, 700, 98).corners()] * MANY
TALL = [Box(80, 0, 700, 1400).corners(), *APART[1:]]


@pytest.mark.parametrize(
    ("text", "places"), [(TEXT, APART), (TEXT, SAME), (TEXT, TALL), ("12345 Ulm", APART), ("Menge", SAME), ("To", TALL)]
)
def test_time_grows_with_the_number_of_lines(text: str, places: list[Quad]) -> None:
    assert calls_for([TextLine(text, place, 1.0) for place in places]) < MAX_CALLS * MANY
