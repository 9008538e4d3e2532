"""Own fields on any page: nothing makes the engine fail, what it returns is on the page, and its time is bounded."""

import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.core.contracts import Json
from inference.own_fields.definition import PLACES, TYPES, OwnField, Trace
from inference.own_fields.finding import find
from inference.own_fields.pointing import point
from tests.inference.own_fields.printed import around, box_of, page

_WORDS = """Lieferschein Nr. no. : Datum Date 12.03.2024 03/04/2024 1.234,56 € AB-12345 IBAN DE89 3704 0044 0532 0130 00
DE136695976 a@b.example +49 40 123456 ja nein yes ☒ ☐ Berlin ( ) · | .... … N° 4 m² % 17 P.2 ١٢ 日付 Дата"""
WORDS = st.sampled_from(_WORDS.split())
TEXTS = st.one_of(st.lists(WORDS, max_size=8).map(" ".join), st.text(max_size=30))
PLACE = st.one_of(st.integers(0, 40).map(lambda step: 25.0 * step), st.floats(-100, 1e6))
SIZE = st.one_of(st.just(20.0), st.floats(0, 500))
BOXES = st.one_of(
    st.none(),
    st.builds(lambda x, y, w, h: [[x, y], [x + w, y], [x + w, y + h], [x, y + h]], PLACE, PLACE, SIZE, SIZE),
)
LINES = st.lists(
    st.fixed_dictionaries({"text": TEXTS, "box": BOXES, "confidence": st.one_of(st.none(), st.floats(0, 1))}),
    max_size=25,
)
CELLS = st.lists(
    st.fixed_dictionaries(
        {
            **{name: st.integers(0, 4) for name in ("row", "column")},
            **{name: st.integers(1, 3) for name in ("row_span", "column_span")},
            "text": TEXTS,
            "box": BOXES,
            "confidence": st.floats(0, 1),
            "header": st.booleans(),
        }
    ),
    max_size=12,
)
TABLES = st.fixed_dictionaries(
    {
        **{name: st.integers(0, 8) for name in ("rows", "columns", "header_rows")},
        "continues": st.booleans(),
        "box": BOXES,
        "cells": CELLS,
    }
)
MARKS = st.fixed_dictionaries({"label": TEXTS, "checked": st.booleans(), "box": BOXES})
PAGES = st.fixed_dictionaries(
    {
        "lines": LINES,
        "tables": st.lists(TABLES, max_size=2),
        "marks": st.lists(MARKS, max_size=3),
        "width": st.one_of(st.none(), st.integers(0, 2000)),
        "height": st.one_of(st.none(), st.integers(0, 3000)),
    }
)
LABELS = st.lists(TEXTS, max_size=3).map(tuple)
FIELDS = st.builds(OwnField, st.just("own"), st.sampled_from(TYPES), LABELS, st.sampled_from(PLACES))
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)
MANY = 10_000
MAX_CALLS = 1_500_000


@given(st.lists(st.one_of(st.none(), PAGES), max_size=3), st.lists(FIELDS, max_size=4))
def test_what_is_found_is_on_its_page(pages: list[Json], fields: list[OwnField]) -> None:
    for entry in find(pages, fields):
        result = pages[entry["page"] - 1]
        texts = [" ".join(cell["text"].split()) for table in result["tables"] for cell in table["cells"]]
        texts += [line["text"] for line in result["lines"]]
        assert 0 <= entry["confidence"] <= 1
        for quote in entry["quote"].split("\n"):
            assert any(quote in text for text in texts)
        if entry["type"] != "yes_no":
            assert all(any(part in text for text in texts) for part in entry["value"].split("\n"))


@given(PAGES, st.lists(st.floats(-10, 1200), min_size=4, max_size=4), PAGES)
def test_what_is_pointed_at_can_be_sought_on_any_page(result: Json, box: list[float], other: Json) -> None:
    pointed = point(result, 1, 1, box)
    if pointed is None:
        return
    assert pointed.type in TYPES
    assert pointed.place in PLACES
    trace = Trace.of_json(pointed.trace.as_json())
    own = OwnField("own", pointed.type, (pointed.label,), pointed.place, traces=(trace,))
    find([result, other], [own])


@given(st.dictionaries(st.sampled_from(["lines", "tables", "marks", "width", "height", "field_candidates"]), ANYTHING))
def test_result_of_any_form_is_read_as_far_as_it_goes(result: dict[str, Any]) -> None:
    assert find([result], [OwnField("own", "text", ("Total",), "label")]) == []
    assert point(result, 1, 1, (0, 0, 100, 100)) is None


@pytest.mark.parametrize(
    "lines",
    [
        [(80, 25 * number, "Datum: 12.03.2024 Nr. AB-12345") for number in range(MANY)],
        [(80, 80, "Datum Nr. AB-12345")] * MANY,
        [(80, 80, "Datum " * 2000 + "(((((" * 2000)] * 50,
        [(80, 80, "1.1.1.1" * 4000 + "a@" * 4000)] * 50,
    ],
    ids=["apart", "at one place", "long lines", "long numbers"],
)
def test_work_on_a_page_is_bounded(lines: list[tuple[float, float, str]]) -> None:
    example = page((80, 80, "Datum: 12.03.2024"), (80, 110, "Nr. AB-12345"))
    pointed = [point(example, 1, 1, around(example, text)) for text in ("12.03.2024", "AB-12345")]
    fields = [
        OwnField(f"own{number}", kind, ("Datum", "Nr"), place, traces=(seen.trace,) if seen else ())
        for number, (kind, place, seen) in enumerate(
            (kind, place, seen) for kind, seen in zip(("date", "identifier"), pointed, strict=True) for place in PLACES
        )
    ]
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    result = page(*lines)
    sys.setprofile(count)
    try:
        find([result], fields)
        point(result, 1, 1, around(example, "Datum"))
    finally:
        sys.setprofile(None)
    assert calls < MAX_CALLS


@pytest.mark.parametrize(
    "label", ["", " ", ":", "(((", "\\", "a" * 5000, "\x00", "١٢٣", "Nr", "N", "日付", "🙂", "[a-z]+"]
)
def test_hostile_label_does_no_harm(label: str) -> None:
    result = page((80, 80, f"{label} 12.03.2024"), (80, 110, f"{label}"), (80, 140, "12.03.2024"))
    for place in PLACES:
        for kind in TYPES:
            found = find([result], [OwnField("own", kind, (label, label), place)])
            assert all(str(one["value"]) in str(one["quote"]) for one in found)


def test_empty_page_has_no_fields() -> None:
    own = OwnField("own", "text", ("Total",), "label")
    assert find([{}, None, page()], [own]) == []
    assert point(page(), 1, 1, (0, 0, 10, 10)) is None
    assert box_of(0, 0, "a")[0] == [0, 0]
