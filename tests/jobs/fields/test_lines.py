"""Test how values follow the corrected lines that they stand in."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.fields.corrected import CorrectedField, as_read, with_corrections
from jobs.fields.lines import CorrectedLine, values_on


def field(value: str, quote: str, name: str = "number", page: int = 1, **more: Any) -> dict[str, Any]:
    entry = {"name": name, "value": value, "normalized": value, "type": "text", "page": page, "box": None}
    return {**entry, "quote": quote, "confidence": 0.9, **more}


def changed(entry: dict[str, Any], *lines: CorrectedLine) -> list[tuple[str, str]]:
    return [(each.value, each.quote) for _, each in values_on(lines, [entry])]


@pytest.mark.parametrize(
    ("value", "quote", "text", "found"),
    [
        ("1O0", "Total: 1O0 EUR", "Total: 100 EUR", "100"),
        ("1O0", "Tota1: 1O0 EUR", "Total: 100 EUR", "100"),
        ("AB-1", "No.:AB-1", "No.:AB-7", "AB-7"),
        ("Anna Berg", "Anna Berg", "Anne Berg", "Anne Berg"),
        ("12", "12 of 12", "13 of 12", "13"),
        ("Leeds", "Leeds,", "Bath,", "Bath"),
        ("100", "Total: 100", "Total", None),
        ("100", "Total 100", "Total 100 net", None),
        ("100", "Tota1 100", "Total 100", None),
        ("AB-1", "No:AB-1", "Nr:AB-7", None),
        ("gone", "Total: 100", "Total: 200", None),
    ],
)
def test_value_is_what_stands_in_its_place(value: str, quote: str, text: str, found: str | None) -> None:
    wanted = [] if found is None else [(found, text)]
    assert changed(field(value, quote), CorrectedLine(1, quote, text)) == wanted


def test_other_lines_and_pages_change_nothing() -> None:
    entry = field("7", "No. 7")
    assert changed(entry, CorrectedLine(2, "No. 7", "No. 8"), CorrectedLine(1, "No. 5", "No. 6")) == []
    assert changed(field("", ""), CorrectedLine(1, "other", "x")) == []


def test_a_line_of_an_address_changes_the_address() -> None:
    entry = field("Kestrel\nLeads", "Kestrel\nLeads")
    assert changed(entry, CorrectedLine(1, "Leads", "Leeds")) == [("Kestrel\nLeeds", "Kestrel\nLeeds")]


def test_a_followed_field_says_what_was_read_and_comes_back() -> None:
    read = {"fields": [field("1O0", "Total: 1O0")], "tax_rates": [], "line_items": [], "warnings": []}
    line = CorrectedLine(1, "Total: 1O0", "Total: 100")
    found = with_corrections(read, [line])
    assert found is not None
    (entry,) = found["fields"]
    assert (entry["value"], entry["quote"], entry["corrected"]) == ("100", "Total: 100", True)
    assert entry["read"]["value"] == "1O0"
    assert as_read(found) == read
    by_hand = with_corrections(read, [line, CorrectedField("number", "99", "text", 1)])
    assert by_hand is not None
    assert [each["value"] for each in by_hand["fields"]] == ["99"]
    assert with_corrections(read, [CorrectedLine(1, "other", "line")]) is read


TEXT = st.text("ab1 :\n", max_size=8)


@given(TEXT, TEXT, TEXT, TEXT)
def test_any_text_can_be_corrected(value: str, lead: str, rest: str, text: str) -> None:
    quote = f"{lead}{value}{rest}"
    for found, line in changed(field(value, quote), CorrectedLine(1, quote, text)):
        assert found
        assert set(found.split()) <= set("".join(line).split()) or found in line
