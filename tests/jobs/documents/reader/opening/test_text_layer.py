"""Tests of what counts as a page's own text, and of how it is split into text lines."""

import pytest

from jobs.documents.reader.opening.text_layer import Glyph, gather_lines, is_real_text

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


def test_a_line_box_is_around_its_ink_and_not_its_blanks() -> None:
    (line,) = gather_lines(glyphs("  ab  "))
    assert (line.left, line.bottom, line.right, line.top) == (2, 0, 4, 2)


def test_hyphens_at_line_ends_are_kept_and_control_characters_are_not() -> None:
    assert [line.text for line in gather_lines(glyphs("docu\x02\r\nme\x00nt"))] == ["docu-", "ment"]
