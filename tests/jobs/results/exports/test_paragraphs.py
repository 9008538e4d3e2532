"""Test that text lines become paragraphs according to the gaps between them."""

from jobs.results.exports.page_lines import lines_of
from jobs.results.exports.paragraphs import Row
from jobs.results.exports.paragraphs import paragraphs as paragraphs_of
from tests.jobs.results.exports.conftest import box, line


def paragraphs(lines: list[dict[str, object]], text: str) -> list[list[Row]]:
    return paragraphs_of(lines_of({"lines": lines}), text)


def texts(lines: list[dict[str, object]], text: str = "") -> list[list[str]]:
    return [[row.text for row in rows] for rows in paragraphs(lines, text)]


def test_a_gap_begins_a_paragraph() -> None:
    lines = [line("one", box(0, 0, 500)), line("two", box(0, 50, 500)), line("three", box(0, 150, 500))]
    assert texts(lines) == [["one", "two"], ["three"]]


def test_pieces_of_one_row_are_put_together() -> None:
    assert texts([line("Total", box(0, 0, 100)), line("5 EUR", box(400, 5, 100))]) == [["Total 5 EUR"]]


def test_the_next_column_begins_a_paragraph() -> None:
    assert texts([line("foot", box(0, 900, 300)), line("top", box(400, 0, 300))]) == [["foot"], ["top"]]


def test_a_row_that_ends_before_the_others_was_ended_on_purpose() -> None:
    lines = [line("short", box(0, 0, 200)), line("as wide as the text", box(0, 50, 600))]
    assert paragraphs(lines, "") == [[Row("short", True), Row("as wide as the text", False)]]


def test_text_without_boxes_is_parted_by_its_empty_lines() -> None:
    assert texts([line("one", None)], "one\ntwo\n\n \nthree") == [["one", "two"], ["three"]]


def ends(lines: list[dict[str, object]], text: str = "") -> list[list[bool]]:
    return [[row.ended_early for row in rows] for rows in paragraphs(lines, text)]


PROSE = [line("as wide as the text is on this page", box(0, 50 * n, 900)) for n in range(2)]


def test_prose_runs_on() -> None:
    assert ends(PROSE) == [[False, False]]


def test_rows_of_cells_stay_apart() -> None:
    table = [
        line(text, box(left, top, 150))
        for text, left, top in [
            ("Subtotal", 0, 500),
            ("858.50", 750, 500),
            ("VAT", 0, 550),
            ("171.70", 750, 550),
        ]
    ]
    assert ends(PROSE + table) == [[False, False], [True, True]]


def test_lines_of_a_narrow_block_stay_apart_wherever_it_stands() -> None:
    sums = [line(text, box(600, top, 300)) for text, top in [("Subtotal 858.50", 500), ("VAT 171.70", 550)]]
    assert ends(PROSE + sums) == [[False, False], [True, True]]


def test_short_lines_without_places_stay_apart() -> None:
    prose = "a line that is as long as lines of prose are\nand ends\n\n"
    assert ends([], f"{prose}Subtotal 858.50\nVAT 20 % 171.70") == [[False, False], [True, True]]
