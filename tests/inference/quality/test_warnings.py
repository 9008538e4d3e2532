import json
from collections.abc import Sequence

import pytest

from inference.core.contracts import Quad, TextLine
from inference.quality.facts import UnreadLine, facts_of
from inference.quality.warnings import Sheet, Warning, warnings_of

SHEET = Sheet(1000, 1400, is_blank=False)


def line(
    text: str = "A line of twenty letters.", *, at: float = 100.0, confidence: float | None = 0.99, height: float = 30.0
) -> TextLine:
    return TextLine(text, box(100.0, at, 600.0, at + height), confidence)


def box(left: float, top: float, right: float, bottom: float) -> Quad:
    return (left, top), (right, top), (right, bottom), (left, bottom)


def warnings(
    lines: Sequence[TextLine],
    unread: Sequence[UnreadLine] = (),
    *,
    certainty: float = 1.0,
    sheet: Sheet | None = SHEET,
) -> list[Warning]:
    return warnings_of(lines, unread, facts_of(lines, unread, certainty), sheet)


def codes(
    lines: Sequence[TextLine],
    unread: Sequence[UnreadLine] = (),
    *,
    certainty: float = 1.0,
    sheet: Sheet | None = SHEET,
) -> list[str]:
    return [warning.code for warning in warnings(lines, unread, certainty=certainty, sheet=sheet)]


def test_clean_page_has_no_warnings() -> None:
    assert codes([line(), line(at=150)]) == []


def test_blank_sheet_is_told_from_one_with_marks_and_no_text() -> None:
    assert codes([], sheet=Sheet(1000, 1400, is_blank=True)) == ["blank"]
    assert codes([], sheet=SHEET) == ["nearly_blank"]


def test_page_with_a_few_letters_is_nearly_blank() -> None:
    assert codes([line("Page 7")]) == ["nearly_blank"]
    assert codes([line("Page 12 of 30")]) == []


def test_text_of_its_own_has_no_warnings_about_a_picture() -> None:
    assert codes([], sheet=None) == []
    assert codes([TextLine("Hi", None, 1.0)], sheet=None) == []


def test_doubtful_lines_are_told_with_their_share_and_place() -> None:
    (warning,) = warnings([line(), line(at=200, confidence=0.7), line(at=300, confidence=0.6), line(at=400)])
    assert (warning.code, warning.message) == ("low_confidence", "50 % of the text was read with low confidence.")
    assert warning.box == box(100, 200, 600, 330)


def test_a_doubtful_word_among_many_lines_is_no_warning() -> None:
    assert codes([line("?", confidence=0.2), *(line(at=100 + 40 * row) for row in range(10))]) == []


def test_doubtful_lines_without_places_are_told_without_one() -> None:
    (warning,) = warnings([TextLine("A line of a text", None, 0.5)])
    assert (warning.code, warning.box) == ("low_confidence", None)


@pytest.mark.parametrize(("certainty", "found"), [(0.59, ["doubtful_order"]), (0.6, [])])
def test_order_that_is_not_certain_is_told(certainty: float, found: list[str]) -> None:
    assert codes([line()], certainty=certainty) == found
    assert codes([line()], certainty=certainty, sheet=None) == found


def test_print_too_small_for_the_picture_is_told() -> None:
    assert codes([line(height=12)]) == ["low_resolution"]
    assert codes([line(height=13)]) == []


@pytest.mark.parametrize(
    "place",
    [
        box(1, 100, 600, 130),
        box(100, 100, 999, 130),
        box(100, 0, 600, 30),
        box(100, 1371, 600, 1400),
    ],
)
def test_text_over_any_edge_is_told_with_its_place(place: Quad) -> None:
    (warning,) = warnings([line(), TextLine("Text that runs over", place, 0.99)])
    assert (warning.code, warning.box) == ("cut_off", place)


def test_text_near_an_edge_is_whole() -> None:
    assert codes([TextLine("A footer near the edge", box(5, 1360, 990, 1390), 0.99)]) == []


def test_warning_is_json_with_a_place_only_where_it_has_one() -> None:
    without = Warning("blank", "The page is blank.").as_json()
    assert without == {"code": "blank", "message": "The page is blank."}
    within = Warning("cut_off", "Cut.", box(0.04, 1, 2, 3)).as_json()
    assert json.loads(json.dumps(within))["box"] == [[0.0, 1], [2, 1], [2, 3], [0.0, 3]]


def test_unknown_script_is_named_with_its_lines_and_place() -> None:
    unread = [UnreadLine(box(100, at, 600, at + 30), "cyrillic") for at in (200, 250)]
    warning = warnings([line()], unread)[0]
    assert (warning.code, warning.box) == ("unknown_script", box(100, 200, 600, 280))
    assert warning.message == (
        "2 lines are in Cyrillic letters that this model does not know, and missing or wrong in the text."
    )


def test_letters_of_no_known_name_are_told_without_one() -> None:
    (warning, _) = warnings([line()], [UnreadLine(box(100, 200, 600, 230), "other")])
    assert warning.message.startswith("One line is in letters that this model does not know")


def test_handwriting_is_told_apart() -> None:
    assert codes([line()], [UnreadLine(box(100, 200, 600, 230), "handwriting")])[0] == "handwriting"


def test_page_with_nothing_but_an_unknown_script_is_not_called_blank() -> None:
    assert codes([], [UnreadLine(box(100, 200, 600, 230), "arabic")]) == ["unknown_script"]


def test_one_mark_is_no_script() -> None:
    lines = [line(at=100 + 40 * row) for row in range(20)]
    assert codes(lines, [UnreadLine(box(100, 1200, 160, 1230), "thai")]) == []


def test_lines_that_could_not_be_read_are_told() -> None:
    unread = [UnreadLine(box(100, 200, 600, 230), None)]
    (warning,) = warnings([line(), line(at=300)], unread)
    assert warning.message == "33 % of the text was read with low confidence or not at all."
