"""Test that text comes out of a Markdown parser as it went in, and that nothing is escaped without need."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from jobs.results.exports.markdown_escapes import escaped, escaped_heading

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
MARKUP = "*_~`#<>&;[](){}!|\\-+=.:^ x1aB\n/$\"'@%é漢"
BREAKS = {"softbreak", "hardbreak"}


def lines(text: str) -> str:
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))


TEXTS = st.text(MARKUP, min_size=1, max_size=30).map(lines).filter(bool)


def shown(tokens: list[Token]) -> str:
    """Return the text of parsed inlines, which must contain nothing but text and line breaks."""
    children = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in children} <= {"text", *BREAKS}
    return "".join("\n" if child.type in BREAKS else child.content for child in children)


def kinds(tokens: list[Token]) -> list[str]:
    return [token.type for token in tokens if token.nesting == 1]


@given(TEXTS)
@example("1. one\n2. two")
@example("[a]: b\nc")
@example("_\n1_")
def test_a_paragraph_is_shown_as_it_is(text: str) -> None:
    for written in (escaped(text), escaped(text).replace("\n", "\\\n")):
        tokens = PARSER.parse(written)
        assert (kinds(tokens), shown(tokens)) == (["paragraph_open"], text)


@given(TEXTS.map(lambda text: " ".join(text.split())))
@example("C #")
def test_a_heading_is_shown_as_it_is(text: str) -> None:
    tokens = PARSER.parse(f"## {escaped_heading(text)}")
    assert (kinds(tokens), shown(tokens)) == (["heading_open"], text)


@given(TEXTS)
@example("1 *")
def test_text_between_asterisks_is_shown_as_it_is(text: str) -> None:
    tokens = PARSER.parse(f"*{escaped(text, emphasized=True)}*")
    inline = tokens[1].children or []
    assert (inline[0].type, inline[-1].type) == ("em_open", "em_close")
    tokens[1].children = inline[1:-1]
    assert (kinds(tokens), shown(tokens)) == (["paragraph_open"], text)


@given(TEXTS)
def test_a_list_item_is_shown_as_it_is(text: str) -> None:
    tokens = PARSER.parse("- " + escaped(text).replace("\n", "\\\n  "))
    assert (kinds(tokens), shown(tokens)) == (["bullet_list_open", "list_item_open", "paragraph_open"], text)


@pytest.mark.parametrize(
    "text",
    [
        "1 < 2 > 0 & 3",
        "a_b and snake_case_name",
        "50 %, ~5 km, 5 * 3 * 2 = 30",
        r"C:\dir",
        "AT&T R&D",
        "see [1], f(x)[1]",
        "a - b + 3.5",
        "$5 to $10",
        "a | b",
        "e.g. #5",
        "the ` key",
        "*see below",
        "12.5 and 1.",
        "-5 degrees",
        "#hashtag",
    ],
)
def test_what_is_no_markup_is_left_alone(text: str) -> None:
    assert escaped(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# no heading", "\\# no heading"),
        ("- no list", "\\- no list"),
        ("12) no list", "12\\) no list"),
        ("Dear *Anna*,", "Dear \\*Anna\\*,"),
        ("<b>&amp; [a](b) `c`", "\\<b>\\&amp; \\[a](b) \\`c\\`"),
        ("\\\\server\\share", "\\\\\\server\\share"),
        ("a\n---", "a\n\\-\\-\\-"),
    ],
)
def test_markup_is_escaped_where_it_would_be_some(text: str, expected: str) -> None:
    assert escaped(text) == expected
