from typing import Any

from inference.fields.document import document_fields
from jobs.dashboard.reading.doubts import doubtful_fields
from jobs.dashboard.reading.fields import MAX_ITEMS, fields_view
from jobs.fields.corrected import CorrectedField, with_corrections
from tests.inference.fields.invoices import GERMAN, candidates_of


def found() -> dict[str, Any]:
    made: dict[str, Any] = document_fields([candidates_of(GERMAN)])
    return made


def test_document_without_fields_has_nothing_to_show() -> None:
    assert fields_view(None, 1) is None
    empty = fields_view(document_fields([candidates_of("Dear Anna,\nthank you.")]), 1)
    assert empty is not None
    assert not empty.fields
    assert "total" in [missing.name for missing in empty.missing]


def test_field_is_shown_as_written_and_for_programs() -> None:
    view = fields_view(found(), 1)
    assert view is not None
    shown = {str(field.title): (field.value, field.normalized) for field in view.fields}
    assert shown["Invoice number"] == ("RE-2024-0815", "")
    assert shown["Total"][1] == "119.00"


def test_field_is_linked_with_its_box_on_its_own_page_alone() -> None:
    own, other = fields_view(found(), 1), fields_view(found(), 2)
    assert own is not None
    assert other is not None
    assert all(field.place and field.corners for field in own.fields)
    assert not any(field.corners for field in other.fields)


def test_a_field_that_another_one_contradicts_is_to_be_checked_on_the_page_and_in_the_list_of_places() -> None:
    wrong = with_corrections(found(), [CorrectedField("net", "90,00 €", "amount", 1)])
    view = fields_view(wrong, 1)
    assert view is not None
    assert [field.title for field in view.fields if field.unsure] == ["Tax", "Total"]
    assert [doubt.place for doubt in doubtful_fields(wrong)] == ["f-tax", "f-total"]


def test_long_lists_of_items_are_cut() -> None:
    made = found()
    item = {"description": "A", "quantity": "1", "unit_price": "1.00", "tax_rate": None, "amount": "1.00"}
    view = fields_view({**made, "line_items": [item] * (MAX_ITEMS + 3)}, 1)
    assert view is not None
    assert (len(view.line_items), view.left_out) == (MAX_ITEMS, 3)


def test_each_value_of_a_column_names_its_position() -> None:
    made = found()
    total = next(field for field in made["fields"] if field["name"] == "total")
    view = fields_view({**made, "fields": [{**total, "name": "x"}, {**total, "index": 0}, {**total, "index": 2}]}, 1)
    assert view is not None
    assert [field.index for field in view.fields] == [None, 0, 2]
    assert [field.place for field in view.fields][1:] == ["f-total", "f-total-3"]
