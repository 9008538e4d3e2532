"""Test what is taken of the words that a person points at: the value, without its label and the signs around it."""

import pytest

from inference.own_fields.pointing import Pointed, point
from tests.inference.own_fields.printed import around, page


def whole_line(text: str) -> Pointed:
    result = page((80, 170, "12 34"), (80, 200, text))
    pointed = point(result, 1, 1, around(result, text))
    assert pointed is not None
    return pointed


@pytest.mark.parametrize(
    ("text", "value", "label", "type_"),
    [
        ("Due date: 12.05.2024", "12.05.2024", "Due date", "date"),
        ("Invoice no.: AB-17", "AB-17", "Invoice no", "identifier"),
        ("Re:AB-1", "AB-1", "Re", "identifier"),
        ("Ref: see http://example.com", "see http://example.com", "Ref", "text"),
        ("Floor 12: 7", "7", "Floor 12", "number"),
    ],
)
def test_value_of_a_whole_line_is_the_part_behind_its_label(text: str, value: str, label: str, type_: str) -> None:
    pointed = whole_line(text)
    assert (pointed.text, pointed.label, pointed.type, pointed.place) == (value, label, type_, "right")


@pytest.mark.parametrize("text", ["https://example.com/x", "Open 8:30", "12:30", "1: 5", ":", "Ship to:", "a: b"])
def test_colon_without_a_label_before_and_a_value_behind_it_parts_nothing(text: str) -> None:
    assert whole_line(text).text == text.removesuffix(":") or text == ":"


def test_label_in_a_piece_of_its_own_is_left_out() -> None:
    result = page((80, 200, "Due date:"), (300, 200, "12.05.2024"))
    pointed = point(result, 1, 1, (70, 195, 420, 225))
    assert pointed is not None
    assert (pointed.text, pointed.label) == ("12.05.2024", "Due date")
    alone = point(result, 1, 1, (70, 195, 180, 225))
    assert alone is not None
    assert alone.text == "Due date"


def test_only_the_first_line_of_several_loses_its_label() -> None:
    result = page((80, 200, "Ship to: Kestrel Ltd"), (170, 230, "c/o: Atlas"), (170, 260, "Leeds"))
    pointed = point(result, 1, 1, (70, 195, 420, 285))
    assert pointed is not None
    assert (pointed.text, pointed.label) == ("Kestrel Ltd\nc/o: Atlas\nLeeds", "Ship to")
