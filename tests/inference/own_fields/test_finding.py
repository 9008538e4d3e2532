"""Own fields are found by their labels, their kind of value and their place, and are absent otherwise."""

import pytest

from inference.own_fields.definition import OwnField, Trace
from inference.own_fields.finding import find
from inference.own_fields.pointing import point
from tests.inference.own_fields.printed import Printed, around, page


def taught(text: str, *lines: Printed, name: str = "field") -> OwnField:
    """Return a field as it is after a person pointed at a text on a page."""
    result = page(*lines)
    pointed = point(result, 1, 1, around(result, text))
    assert pointed is not None
    assert pointed.text == text
    trace = Trace.of_json(pointed.trace.as_json())
    return OwnField(name, pointed.type, (pointed.label,) if pointed.label else (), pointed.place, traces=(trace,))


def values(field: OwnField, *lines: Printed) -> list[str]:
    return [entry["normalized"] for entry in find([page(*lines)], [field])]


NOTE = ((80, 80, "Delivery note"), (80, 140, "Delivery no.: LS-12345"), (80, 170, "Date: 12.03.2024"))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Delivery no.: LS-99871", ["LS-99871"]),
        ("DELIVERY NO LS-99871", ["LS-99871"]),
        ("Delivery No: LS-1", ["LS-1"]),
        ("Delivery no.:", []),
        ("Order no.: LS-99871", []),
    ],
)
def test_identifier_is_found_by_its_label(line: str, found: list[str]) -> None:
    field = taught("LS-12345", *NOTE)
    assert (field.type, field.place, field.labels) == ("identifier", "right", ("Delivery no",))
    assert values(field, (80, 80, "Delivery note"), (80, 240, line), (80, 270, "Date: 13.03.2024")) == found


def test_value_below_its_label_is_found_where_it_moved() -> None:
    lines = ((80, 80, "Date"), (400, 80, "Driver"), (80, 110, "12.03.2024"), (400, 110, "Anna Berg"))
    moved = ((80, 580, "Date"), (400, 580, "Driver"), (80, 610, "01.04.2024"), (400, 610, "Wim de Vries"))
    field = taught("Anna Berg", *lines)
    assert (field.labels, field.place, field.type) == (("Driver",), "below", "text")
    assert values(field, *moved) == ["Wim de Vries"]


def test_entry_is_as_those_of_the_other_fields() -> None:
    (entry,) = find([None, page(*NOTE)], [taught("12.03.2024", *NOTE)])
    assert entry == {
        "name": "field",
        "value": "12.03.2024",
        "normalized": "2024-03-12",
        "type": "date",
        "page": 2,
        "box": entry["box"],
        "quote": "Date: 12.03.2024",
        "confidence": entry["confidence"],
        "label": "Date",
    }
    assert 0.5 < entry["confidence"] <= 1


def test_nothing_is_looked_for_without_fields() -> None:
    assert find([page(*NOTE)], []) == []
