"""Tests of what counts as a page's own text, and of how it is split into text lines."""

import pytest

from jobs.documents.reader.opening.text_layer import (
    Glyph,
    gather_lines,
    is_real_text,
    main_direction,
    turned_glyph,
    turned_point,
)

SENTENCE = "An ordinary sentence of a letter. "


@pytest.mark.parametrize(
    ("text", "picture_coverage", "expected"),
    [
        pytest.param(SENTENCE, 0.0, True, id="a short letter"),
        pytest.param("これは日本語の文章です。", 0.0, True, id="a Japanese line"),
        pytest.param("", 0.0, False, id="nothing"),
        pytest.param(" \r\n " * 50, 0.0, False, id="blanks"),
        pytest.param("- 7 -", 0.0, False, id="a page number"),
        pytest.param(SENTENCE, 1.0, False, id="a header line over a scan"),
        pytest.param(SENTENCE * 20, 1.0, True, id="a scan with a text layer"),
        pytest.param(SENTENCE, 0.3, True, id="a letter with a logo"),
        pytest.param("\ue041\ue042" * 100, 0.0, False, id="private characters"),
        pytest.param("\ufffd" * 100, 0.0, False, id="replacement characters"),
        pytest.param(SENTENCE + "\ue041" * 20, 0.0, False, id="half private"),
        pytest.param(SENTENCE * 10 + "\ue041", 0.0, True, id="a single symbol"),
        pytest.param("\x01\x03\x05" * 100, 0.0, False, id="control characters"),
    ],
)
def test_real_text_is_told_from_noise(text: str, picture_coverage: float, expected: bool) -> None:
    assert is_real_text(text, picture_coverage) is expected


def glyphs(text: str) -> list[Glyph]:
    return [Glyph(char, index, 0, index + 1, 2) for index, char in enumerate(text)]


def test_lines_end_where_the_document_says() -> None:
    assert [line.text for line in gather_lines(glyphs("one two\r\nthree\n\nfour"))] == [
        "one two",
        "three",
        "four",
    ]


def test_characters_that_pdfium_parts_go_on_in_their_row() -> None:
    """Test a page that PDFium takes for one that is written downwards: it ends a line behind each character."""
    parted = [each for glyph in glyphs("Via B") for each in (glyph, *_line_end(glyph))]
    assert [line.text for line in gather_lines(parted)] == ["Via B"]


def test_a_space_is_put_where_white_parts_words() -> None:
    word, next_word = Glyph("a", 0, 0, 1, 2), Glyph("b", 1.5, 0, 2.5, 2)
    assert [line.text for line in gather_lines([word, *_line_end(word), next_word])] == ["a b"]


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(Glyph("b", 0, -2, 1, 0), id="in the row below"),
        pytest.param(Glyph("b", 3, 0, 4, 2), id="in the next column"),
        pytest.param(Glyph("b", -3, 0, -2, 2), id="before it"),
        pytest.param(Glyph("b", 1, 0, 2, 2, 90.0), id="in another direction"),
    ],
)
def test_characters_elsewhere_begin_a_line(after: Glyph) -> None:
    first = Glyph("a", 0, 0, 1, 2)
    assert [line.text for line in gather_lines([first, *_line_end(first), after])] == ["a", "b"]


def _line_end(glyph: Glyph) -> tuple[Glyph, Glyph]:
    """Return a line end as PDFium gives it, at the end of a character."""
    place = (glyph.right, glyph.bottom, glyph.right, glyph.bottom)
    return Glyph("\r", *place), Glyph("\n", *place)


def test_a_line_box_is_around_its_ink_and_not_its_blanks() -> None:
    (line,) = gather_lines(glyphs("  ab  "))
    assert (line.left, line.bottom, line.right, line.top) == (2, 0, 4, 2)


def test_hyphens_at_line_ends_are_kept_and_control_characters_are_not() -> None:
    assert [line.text for line in gather_lines(glyphs("docu\x02\r\nme\x00nt"))] == ["docu-", "ment"]


def turned(text: str, degrees: float) -> list[Glyph]:
    """Characters of 10 x 20 in the direction, as they are given: in coordinates turned with it."""
    return [Glyph(char, 10 * index, 0, 10 * index + 10, 20, degrees) for index, char in enumerate(text)]


@pytest.mark.parametrize(
    ("glyphs_given", "expected"),
    [
        ([], 0),
        (turned("level", 0), 0),
        (turned("sideways", 90), 90),
        (turned("upside down", 180), -180),
        (turned("askew", 3.004), 3.0),
        (turned("hardly askew", 0.2), 0),
        (turned("a stamp", 90) + turned("on a page of level text", 0), 0),
        (turned("half", 0) + turned("full", 90), 0),
        ([glyph for degrees in range(-20, 21, 4) for glyph in turned("label", degrees)], 0),
    ],
)
def test_most_characters_give_the_direction(glyphs_given: list[Glyph], expected: float) -> None:
    assert main_direction(glyphs_given) == expected


def test_another_direction_ends_a_line() -> None:
    lines = gather_lines([*turned("one two", 0), *turned(" and up", 90)])
    assert [(line.text, line.direction) for line in lines] == [("one two", 0), ("and up", 90)]


def test_a_little_askew_among_level_text_is_of_its_line() -> None:
    (line,) = gather_lines([*turned("ab", 0), *(glyph._replace(left=20, right=30) for glyph in turned("c", 1))])
    assert (line.text, line.direction) == ("abc", 0)


def test_upright_characters_below_each_other_are_a_line() -> None:
    (line,) = gather_lines([Glyph(char, 0, -20 * row, 20, 20 - 20 * row) for row, char in enumerate("日本語")])
    assert (line.text, line.left, line.right) == ("日本語", 0, 20)


@pytest.mark.parametrize("degrees", [30.0, 45.0, 90.0, 135.0, -60.0])
def test_a_turned_character_has_the_box_that_it_has_as_it_runs(degrees: float) -> None:
    corners = [turned_point(x, y, degrees) for x, y in ((100, 50), (107, 50), (107, 64), (100, 64))]
    across, up = zip(*corners, strict=True)
    around = Glyph("a", min(across), min(up), max(across), max(up), degrees)
    assert turned_glyph(around, 14)[1:5] == pytest.approx((100, 50, 107, 64))
