"""Own fields in columns, without labels, in several lines, by tick boxes, and where several examples were given."""

from dataclasses import replace

import pytest

from inference.core.contracts import Json
from inference.own_fields.definition import OwnField, Trace
from inference.own_fields.finding import find
from inference.own_fields.pointing import Pointed, point
from tests.inference.own_fields.printed import Printed, around, box_of, page

LINE = 30


def pointed_at(text: str, result: Json, number: int = 1, total: int = 1) -> Pointed:
    pointed = point(result, number, total, around(result, text))
    assert pointed is not None
    return pointed


def field_of(*pointed: Pointed, place: str = "") -> OwnField:
    labels = tuple(dict.fromkeys(each.label for each in pointed if each.label))
    traces = tuple(Trace.of_json(each.trace.as_json()) for each in pointed)
    return OwnField("own", pointed[0].type, labels, place or pointed[0].place, traces=traces)


def values(field: OwnField, *pages: Json) -> list[str]:
    return [entry["value"] for entry in find(pages, [field])]


def rows(y: float, *texts: tuple[str, ...], lefts: tuple[float, ...] = (80, 300, 600)) -> list[Printed]:
    return [
        (x, y + LINE * number, text) for number, row in enumerate(texts) for x, text in zip(lefts, row, strict=True)
    ]


def table(y: float, *texts: tuple[str, ...], header_rows: int = 1, continues: bool = False) -> Json:
    cells = [
        {"row": row, "column": column, "row_span": 1, "column_span": 1, "text": text, "confidence": 1.0}
        | {"box": box_of(80 + 250 * column, y + LINE * row, text), "header": row < header_rows}
        for row, columns in enumerate(texts)
        for column, text in enumerate(columns)
        if text
    ]
    sizes = {"rows": len(texts), "columns": 3, "header_rows": header_rows, "continues": continues}
    return {**sizes, "box": None, "cells": cells}


ITEMS = (("Item", "Serial no.", "Count"), ("Pump", "AB-123", "4"), ("Valve", "CD-456", "12"), ("Hose", "EF-789", "3"))


def test_column_gives_a_value_for_each_row() -> None:
    pointed = pointed_at("AB-123", page(*rows(200, *ITEMS)))
    assert (pointed.label, pointed.place) == ("Serial no", "column")
    moved = page((80, 80, "Packing list"), *rows(400, *ITEMS[:3], ("Box", "XY-000", "1")))
    assert values(field_of(pointed), moved) == ["AB-123", "CD-456", "XY-000"]


def test_column_goes_on_over_pages_and_ends_before_its_sum() -> None:
    own = OwnField("own", "number", ("Count",), "column")
    first = page(tables=[table(100, *ITEMS)])
    second = page(tables=[table(100, ("Bolt", "GH-1", "7"), ("", "", "26"), header_rows=0, continues=True)])
    assert values(own, first, second) == ["4", "12", "3", "7"]


def test_text_below_a_label_has_as_many_lines_as_there_are() -> None:
    lines = [(80, 200, "Ship to"), (500, 200, "Bill to"), (80, 230, "Kestrel Ltd"), (500, 230, "Atlas plc")]
    lines += [(80, 260, "9 High Street"), (500, 260, "3 Mill Lane"), (80, 290, "Leeds"), (500, 290, "Bath")]
    result = page(*lines)
    left, top, _, _ = around(result, "Kestrel Ltd")
    pointed = point(result, 1, 1, (left, top, 320, 312))
    assert pointed is not None
    assert (pointed.text, pointed.label, pointed.type) == ("Kestrel Ltd\n9 High Street\nLeeds", "Ship to", "text")
    other = [
        (80, 240, "Ship to"),
        (500, 240, "Bill to"),
        (80, 270, "Vela"),
        (500, 270, "Ferrum"),
        (80, 300, "2nd floor"),
    ]
    other += [(80, 330, "1 Kings Avenue"), (80, 360, "York"), (80, 460, "Note 12")]
    assert values(field_of(pointed), page(*other)) == ["Vela\n2nd floor\n1 Kings Avenue\nYork"]


@pytest.mark.parametrize(("label", "left"), [("Ship to", 80), ("Ship to:", 300)])
def test_text_has_several_lines_by_labels_made_by_hand_if_an_example_has_them(label: str, left: float) -> None:
    top = 230 if left == 80 else 200
    lines = [(80, 200, label), (left, top, "Kestrel Ltd"), (left, top + 30, "9 High Street"), (left, top + 60, "Leeds")]
    result = page(*lines)
    pointed = point(result, 1, 1, (left, top, left + 230, top + 82))
    assert pointed is not None
    own = replace(field_of(pointed), labels=("Deliver to",))
    other = page((80, 200, "Deliver to"), *lines[1:], (80, 460, "Note 12"))
    assert values(own, other) == ["Kestrel Ltd\n9 High Street\nLeeds"]
    assert values(replace(own, traces=()), other) == ["Kestrel Ltd"]


def test_value_without_label_is_found_by_what_stands_around_it() -> None:
    lines = [(300, 100, "CERTIFICATE"), (300, 160, "This is to certify that"), (300, 220, "Anna Berg")]
    lines += [(300, 280, "has passed the examination"), (300, 340, "in Hamburg")]
    pointed = pointed_at("Anna Berg", page(*lines))
    own = replace(field_of(pointed, place="position"), labels=())
    moved = [(x, y + 200, text.replace("Anna Berg", "Wim de Vries")) for x, y, text in lines]
    assert values(own, page(*moved)) == ["Wim de Vries"]
    assert values(own, page((300, 220, "Dear Sir"), (300, 250, "Thank you"))) == []


def test_value_is_found_on_the_last_page_of_a_longer_document() -> None:
    last = page((80, 80, "Place and date: Leeds, 3 May 2024"), (80, 140, "Signed by: Anna Berg"))
    own = field_of(pointed_at("Anna Berg", last, 2, 2))
    text = page((80, 80, "Terms"), (80, 110, "The parties agree"))
    other = page((80, 80, "Place and date: Bath, 5 May 2024"), (80, 140, "Signed by: Tom Ng"))
    (entry,) = find([text, text, None, other], [own])
    assert (entry["value"], entry["page"]) == ("Tom Ng", 4)


@pytest.mark.parametrize("checked", [True, False])
def test_tick_boxes_answer_a_question(checked: bool) -> None:
    marks = [
        {"label": label, "checked": ticked, "box": box_of(x, 100, "x")}
        for x, label, ticked in ((300, "yes", checked), (400, "no", not checked))
    ]
    result = page((80, 100, "Known risks"), (320, 100, "yes"), (420, 100, "no"), marks=marks)
    (entry,) = find([result], [OwnField("own", "yes_no", ("Known risks",), "right")])
    assert entry["normalized"] == ("yes" if checked else "no")


def test_label_of_a_tick_box_says_whether_it_is_checked() -> None:
    marks = [{"label": "Express", "checked": True, "box": box_of(80, 100, "x")}]
    result = page((110, 100, "Express"), marks=marks)
    pointed = point(result, 1, 1, (78, 98, 92, 122))
    assert pointed is not None
    assert (pointed.type, pointed.label, pointed.text) == ("yes_no", "Express", "yes")
    assert [entry["normalized"] for entry in find([result], [field_of(pointed)])] == ["yes"]


def test_two_values_for_one_label_are_none_without_an_example() -> None:
    result = page((80, 100, "Name: Anna Berg"), (80, 400, "Name: Tom Ng"))
    assert values(OwnField("own", "text", ("Name",), "label"), result) == []


def test_same_label_in_two_parts_is_told_apart_by_an_example() -> None:
    def form(sender: str, receiver: str, y: float) -> Json:
        parts = [("Sender", sender), ("Receiver", receiver)]
        return page(
            *(
                line
                for number, (part, name) in enumerate(parts)
                for line in (
                    (80, y + 200 * number, part),
                    (80, y + 200 * number + 30, f"Name: {name}"),
                    (80, y + 200 * number + 60, "City: Leeds"),
                )
            )
        )

    own = field_of(pointed_at("Tom Ng", form("Anna Berg", "Tom Ng", 100)))
    assert values(own, form("Max Haas", "Zoe Keller", 160)) == ["Zoe Keller"]


@pytest.mark.parametrize(
    "label", ["Vertragsnummer", "VERTRAGSNUMMER:", "Vertragsnurnmer", "Vertragsnumrner", "Vertragsnumer"]
)
def test_label_is_found_as_recognition_reads_it(label: str) -> None:
    own = OwnField("own", "identifier", ("Vertragsnummer",), "label")
    assert values(own, page((80, 100, f"{label} AB-12345"))) == ["AB-12345"]


def test_each_of_several_examples_gives_its_label_and_shape() -> None:
    one = pointed_at("AB-123", page((80, 100, "Contract no.: AB-123")))
    two = pointed_at("2024/77", page((80, 300, "Reference"), (400, 300, "2024/77")))
    own = field_of(one, two)
    assert own.labels == ("Contract no", "Reference")
    assert values(own, page((80, 500, "Reference"), (400, 500, "2025/12"))) == ["2025/12"]
    assert values(own, page((80, 500, "Contract no.: XY-987"))) == ["XY-987"]


def test_label_that_is_another_one_in_each_example_is_none() -> None:
    def letter(town: str, day: str) -> Json:
        texts = [(80, 100, "Confirmation"), (80, 140, "The course was held in"), (80, 240, "Yours sincerely")]
        return page(*texts, (80, 180, f"{town}, on"), (300, 180, day))

    own = field_of(pointed_at("12.03.2024", letter("Leeds", "12.03.2024")))
    assert values(own, letter("York", "15.03.2024")) == []
    both = field_of(
        *(pointed_at(day, letter(town, day)) for town, day in (("Bath", "1.4.2024"), ("Leeds", "13.3.2024")))
    )
    assert values(both, letter("York", "15.03.2024")) == ["15.03.2024"]


def test_first_of_two_dates_belongs_to_the_label() -> None:
    own = OwnField("own", "date", ("Period",), "label")
    assert values(own, page((80, 100, "Period"), (300, 100, "5 Jan 2024 to 10 April 2024"))) == ["5 Jan 2024"]


@pytest.mark.parametrize(
    ("text", "label", "kind"),
    [
        ("12.03.2024", "Datum", "date"),
        ("1.234,56 €", "Total", "amount"),
        ("12 345 kWh", "Reading", "number"),
        ("004711", "Customer", "identifier"),
        ("4711", "Order no.", "identifier"),
        ("4711", "Weight", "number"),
        ("DE89 3704 0044 0532 0130 00", "Account", "iban"),
        ("DE136695976", "VAT", "vat_number"),
        ("anna@example.com", "Email", "email"),
        ("+49 40 123456", "Contact", "phone"),
        ("040 123456", "Tel.", "phone"),
        ("Anna Berg", "Driver", "text"),
    ],
)
def test_type_is_guessed_by_how_a_value_is_written(text: str, label: str, kind: str) -> None:
    assert pointed_at(text, page((80, 100, f"{label}: {text}"))).type == kind
