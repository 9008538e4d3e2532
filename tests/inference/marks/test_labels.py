"""Tests of the labels of tick boxes."""

from inference.core.contracts import TextLine
from inference.layout.boxes import Box
from inference.marks.labels import Row, labels_of, row_of


def row(text: str, left: float, top: float = 100, char: float = 10) -> Row:
    box = Box(left, top, left + char * len(text), top + 20)
    return row_of(TextLine(text, box.corners(), 1.0), box)


def tick(left: float, top: float = 102) -> Box:
    return Box(left, top, left + 16, top + 16)


def test_label_is_the_text_right_of_the_box() -> None:
    assert labels_of([tick(50)], [row("By email", 75)]) == ["By email"]


def test_labels_of_a_line_end_at_the_next_box() -> None:
    boxes = [tick(50), tick(125)]
    assert labels_of(boxes, [row("Yes", 75), row("No", 150)]) == ["Yes", "No"]
    assert labels_of(boxes, [row("\u2610 Yes \u2610 No", 50, char=12)]) == ["Yes", "No"]


def test_labels_stand_left_where_most_do() -> None:
    boxes = [tick(115), tick(115, 142), tick(115, 182)]
    rows = [row("Married", 40), row("Single", 50, 140), row("Widowed", 40, 180), row("since 2019", 160)]
    assert labels_of(boxes, rows) == ["Married", "Single", "Widowed"]


def test_what_the_box_was_read_as_is_no_part_of_the_label() -> None:
    for sign in ("\u25a1", "\u53e3", "[]", "\u2612"):
        assert labels_of([tick(50)], [row(f"{sign} Yes", 50, char=16)]) == ["Yes"]


def test_text_far_away_is_no_label() -> None:
    assert labels_of([tick(50)], [row("Total", 300)]) == [""]
    assert labels_of([tick(50)], [row("Total", 75, 200)]) == [""]


def test_a_box_beside_signs_alone_has_no_label() -> None:
    assert labels_of([tick(50)], [row("--", 75)]) == [""]
