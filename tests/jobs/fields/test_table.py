"""Test how the fields of documents become cells: numbers and dates as such, and texts as they are."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from jobs.fields.table import BEFORE, TableJob, document_row, field_columns, item_rows, typed_value


def field(name: str, normalized: str | None, kind: str = "text", **more: object) -> dict[str, Any]:
    place = {"value": f"<{normalized}>", "page": 1, "box": None, "quote": "", "confidence": 0.9}
    return {"name": name, "normalized": normalized, "type": kind, **place, **more}


def job(*fields: dict[str, Any], **more: object) -> TableJob:
    found = {"fields": fields, "tax_rates": [], "line_items": [], "warnings": [], **more}
    return TableJob(
        "1", "a.pdf", "succeeded", "invoice", datetime(2026, 1, 31, tzinfo=UTC), 2, "http://x/jobs/1", found
    )


@pytest.mark.parametrize(
    ("found", "value"),
    [
        (field("total", "-1234.50", "amount"), Decimal("-1234.50")),
        (field("hours", "7.5", "number"), Decimal("7.5")),
        (field("issue_date", "2026-01-31", "date"), date(2026, 1, 31)),
        (field("issue_date", None, "date"), "<None>"),
        (field("invoice_number", "0017"), "0017"),
        (field("total", "NaN", "amount"), "NaN"),
        (field("total", "12345678901234567", "amount"), "12345678901234567"),
    ],
)
def test_a_value_has_the_type_of_its_field(found: dict[str, Any], value: object) -> None:
    assert typed_value(found) == value


def test_a_row_has_all_built_in_fields_and_the_own_ones_that_were_found() -> None:
    columns = field_columns(["cost_center", "total"], {"cost_center": "Kostenstelle"})
    assert columns[-1].title == "Kostenstelle"
    row = document_row(
        job(
            field("total", "5.00", "amount", confidence=0.5),
            field("cost_center", "A"),
            field("cost_center", "B"),
            warnings=[{"code": "fields_contradict", "message": "Wrong."}],
        ),
        columns,
    )
    names = [*(column.name for column in BEFORE), *(column.name for column in columns)]
    cells = dict(zip(names, row, strict=False))
    assert (cells["document"], cells["submitted"], cells["class"]) == ("a.pdf", date(2026, 1, 31), "invoice")
    assert (cells["total"], cells["net"], cells["cost_center"]) == (Decimal("5.00"), None, "A; B")
    assert row[len(names) :] == [2, "succeeded", "total", "Wrong.", "http://x/jobs/1", "1"]


def test_a_document_without_fields_is_a_row_without_values() -> None:
    found = TableJob("1", "a.pdf", "queued", "", datetime(2026, 1, 31, tzinfo=UTC), 1, "", None)
    assert set(document_row(found, field_columns([], {}))[3:-6]) == {None}
    assert item_rows(found) == []


def test_line_items_name_their_document() -> None:
    item = {"description": "Nuts", "quantity": "2", "unit_price": "1.50", "tax_rate": None, "amount": "3.00", "page": 1}
    (row,) = item_rows(job(field("invoice_number", "R-17"), line_items=[item]))
    assert row == ["a.pdf", "<R-17>", 1, "Nuts", Decimal(2), Decimal("1.50"), None, Decimal("3.00"), "1"]
