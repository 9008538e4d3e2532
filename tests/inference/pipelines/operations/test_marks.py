"""Tests of the operation that lists codes, tick boxes and form fields."""

from typing import Any

from inference.core.contracts import Code, Findings, FormValue, PageInput, Quad, TextLine, TickBox
from inference.layout.boxes import Box
from inference.pipelines.operations.marks import FIND_MARKS
from inference.pipelines.operations.pages import UPRIGHT_PAGE


def quad(left: float, top: float, right: float, bottom: float) -> Quad:
    return Box(left, top, right, bottom).corners()


LINES = (TextLine("By email", quad(80, 100, 160, 120), 1.0), TextLine("Best regards", quad(80, 300, 200, 320), 1.0))
FINDINGS = Findings(
    (Code("qr", "hello", quad(10, 10, 60, 60)), Code("aztec", "", quad(70, 10, 90, 30), "AAE=")),
    (
        TickBox(True, quad(50, 102, 66, 118)),
        TickBox(False, quad(50, 202, 66, 218), "I agree", "agree"),
        TickBox(False, quad(250, 402, 266, 418), "", "news"),
        TickBox(True, quad(250, 502, 266, 518)),
    ),
    (FormValue("Name", "Anna", quad(100, 600, 300, 620)),),
)


def marks_of(page: PageInput, lines: tuple[TextLine, ...] = LINES) -> dict[str, Any]:
    found: dict[str, Any] = FIND_MARKS.run({"page": page, "lines": lines}, {})
    return found


def test_marks_have_the_label_of_the_form_or_the_text_beside_or_the_name() -> None:
    found = marks_of(PageInput(1, 400, 700, LINES, None, findings=FINDINGS))
    assert [(mark["label"], mark["checked"]) for mark in found["marks"]] == [
        ("By email", True),
        ("I agree", False),
        ("news", False),
    ]


def test_codes_and_form_values_are_answered() -> None:
    found = marks_of(PageInput(1, 400, 700, LINES, None, findings=FINDINGS))
    assert found["codes"] == [
        {"symbology": "qr", "text": "hello", "box": [[10, 10], [60, 10], [60, 60], [10, 60]]},
        {"symbology": "aztec", "text": "", "base64": "AAE=", "box": [[70, 10], [90, 10], [90, 30], [70, 30]]},
    ]
    (pair,) = found["pairs"]
    assert (pair["key"], pair["key_box"], pair["value"], pair["confidence"]) == ("Name", None, "Anna", 1.0)


def test_a_page_without_findings_answers_empty_lists() -> None:
    assert marks_of(PageInput(1, 0, 0, LINES, None)) == {"codes": [], "marks": [], "pairs": []}


def test_findings_turn_with_their_page() -> None:
    page = PageInput(1, 400, 700, LINES, None, findings=FINDINGS)
    turned = UPRIGHT_PAGE.run({"page": page, "rotation": 90, "angle": 0, "sheet": None}, {})
    found = marks_of(turned)
    assert found["codes"][0]["box"] == [[690, 10], [690, 60], [640, 60], [640, 10]]
    assert found["pairs"][0]["value_box"] == [[80, 100], [100, 100], [100, 300], [80, 300]]


def test_printed_pairs_are_listed_beside_form_fields() -> None:
    line = TextLine("Weight: 12 kg", quad(10, 10, 140, 26), 0.9)
    (pair,) = marks_of(PageInput(1, 0, 0, (line,), None), (line,))["pairs"]
    assert (pair["key"], pair["value"]) == ("Weight", "12 kg")
