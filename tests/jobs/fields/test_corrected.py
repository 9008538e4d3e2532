"""Test how corrections change the fields of a document, and what is checked again."""

from typing import Any

import pytest

from inference.fields.document import document_fields
from jobs.fields.corrected import CorrectedField, as_read, with_corrections
from jobs.fields.doubt import is_unsure
from tests.inference.fields.invoices import GERMAN, candidates_of

Fields = dict[str, Any]

INVOICE = GERMAN.replace("   Ihre Bestellung: 4500012345", "")
"""An invoice without an order number."""


@pytest.fixture
def read() -> Fields:
    found: Fields = document_fields([candidates_of(INVOICE)])
    return found


def by_name(fields: Any) -> dict[str, Any]:
    return {field["name"]: field for field in fields["fields"]}


def corrected(read: Any, *corrections: CorrectedField) -> Any:
    return with_corrections(read, corrections)


def test_a_corrected_field_keeps_its_place_and_what_was_read(read: Fields) -> None:
    before = by_name(read)["total"]
    found = by_name(corrected(read, CorrectedField("total", "120,00 €", "amount", 1)))["total"]
    assert (found["value"], found["normalized"], found["corrected"]) == ("120,00 €", "120.00", True)
    assert (found["page"], found["box"], found["confidence"]) == (before["page"], before["box"], 1.0)
    assert found["read"]["value"] == before["value"]


def test_a_sum_that_contradicts_is_said_and_taken_back(read: Fields) -> None:
    assert not read["warnings"]
    wrong = corrected(read, CorrectedField("total", "120,00 €", "amount", 1))
    assert next(one["fields"] for one in wrong["warnings"]) == ["net", "tax", "total"]
    right = corrected(read, CorrectedField("total", by_name(read)["total"]["value"], "amount", 1))
    assert not right["warnings"]
    assert by_name(right)["total"]["normalized"] == by_name(read)["total"]["normalized"]


def test_a_removed_field_is_absent_and_comes_back(read: Fields) -> None:
    found = corrected(read, CorrectedField("iban", "", "iban", 1))
    assert "iban" not in by_name(found)
    assert as_read(found) == read


def test_a_missed_field_is_in_the_usual_order_and_own_fields_follow(read: Fields) -> None:
    own = CorrectedField("cost_center", "4711", "text", 2, own=True)
    found = corrected(read, own, CorrectedField("order_number", "B-7", "text", 1, [[0, 0], [9, 0], [9, 9], [0, 9]]))
    names = list(by_name(found))
    assert names[-1] == "cost_center"
    assert names.index("order_number") < names.index("currency")
    assert by_name(found)["order_number"]["read"] is None
    assert by_name(found)["cost_center"]["own"] is True
    assert as_read(found) == read


def test_fields_of_a_model_that_finds_none_are_gone_without_corrections() -> None:
    found = corrected(None, CorrectedField("total", "5", "amount", 1))
    assert by_name(found)["total"]["normalized"] == "5.00"
    assert as_read(found) is None
    assert corrected(as_read(found)) is None


@pytest.mark.parametrize(
    ("kind", "value", "normalized"),
    [
        ("date", "2026-01-05", "2026-01-05"),
        ("date", "5.1.2026", "2026-01-05"),
        ("date", "05/01/2026", None),
        ("amount", "1.234", "1234.00"),
        ("iban", "DE02 1203 0000 0000 2020 51", "DE02120300000000202051"),
        ("currency", "€", "EUR"),
        ("text", " A  7 ", "A 7"),
        ("number", "12,5", "12.5"),
        ("yes_no", "Ja", "yes"),
        ("email", "Anna@Example.com", "anna@example.com"),
    ],
)
def test_a_value_is_normalized_by_its_type(read: Fields, kind: str, value: str, normalized: str | None) -> None:
    found = by_name(corrected(read, CorrectedField("extra", value, kind, 1)))["extra"]
    assert found["normalized"] == normalized
    assert ("ambiguous" in found) == (normalized is None)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("DE03 1203 0000 0000 2020 51", "has wrong check digits."),
        ("DE00 1234", "has 8 letters and digits, but one of DE has 22."),
        ("ZZ02 1203 0000", "does not begin with a country that has IBANs."),
        ("???", "does not begin with a country that has IBANs."),
    ],
)
def test_a_wrong_iban_is_kept_as_it_is_printed_and_said_to_be_wrong(read: Fields, value: str, reason: str) -> None:
    found = corrected(read, CorrectedField("iban", value, "iban", 1))
    assert (by_name(found)["iban"]["value"], by_name(found)["iban"]["normalized"]) == (value, None)
    assert found["warnings"][-1]["message"] == f"The IBAN {value} {reason}"


def test_fields_that_a_correction_contradicts_are_to_be_checked_until_it_is_undone(read: Fields) -> None:
    assert not any(is_unsure(field, read["warnings"]) for field in read["fields"])
    wrong = corrected(read, CorrectedField("net", "90,00 €", "amount", 1))
    assert [each["name"] for each in wrong["fields"] if is_unsure(each, wrong["warnings"])] == ["tax", "total"]


COLUMN = {
    "fields": [
        {"name": "article", "value": value, "normalized": value, "type": "text", "page": 1, "box": None, "own": True}
        | {"quote": value, "confidence": 0.7, "index": index}
        for index, value in enumerate(("A-1", "B-2", "B-2", "C-3"))
    ],
    "tax_rates": [],
    "line_items": [],
    "warnings": [],
}


def of_column(index: int | None, original: str, value: str) -> CorrectedField:
    return CorrectedField("article", value, "text", 1, own=True, index=index, original=original)


def values(found: Any) -> list[tuple[str, int]]:
    return [(field["value"], field["index"]) for field in found["fields"]]


def test_one_of_several_values_is_corrected_in_its_place() -> None:
    found = corrected(COLUMN, of_column(1, "B-2", "B-7"), of_column(3, "C-3", ""))
    assert values(found) == [("A-1", 0), ("B-7", 1), ("B-2", 2)]
    assert [field.get("corrected") for field in found["fields"]] == [None, True, None]
    assert as_read(found) == COLUMN


def test_a_value_that_moved_is_found_by_what_was_read_and_one_that_is_gone_changes_nothing() -> None:
    assert values(corrected(COLUMN, of_column(0, "C-3", "C-4")))[3] == ("C-4", 3)
    assert values(corrected(COLUMN, of_column(9, "A-1", "A-2")))[0] == ("A-2", 0)
    assert corrected(COLUMN, of_column(0, "Z", "Y")) is COLUMN


def test_all_values_are_removed_without_a_position() -> None:
    assert values(corrected(COLUMN, of_column(None, "A-1", ""))) == []
