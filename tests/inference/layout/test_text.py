import pytest

from inference.layout.spellings import spellings_of
from inference.layout.text import join_rows
from tests.inference.layout.pages import Page


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (["The exam-", "ple is short"], "The example is short"),
        (["The exam\u00ad", "ple"], "The example"),
        (["The exam\u2010", "ple"], "The example"),
        (["Baden-", "Baden"], "Baden-Baden"),
        (["pages 3-", "9"], "pages 3- 9"),
        (["a dash -", "and more"], "a dash - and more"),
        (["three short-", "haired ex-", "perts"], "three shorthaired experts"),
        (["Größen-", "änderung"], "Größenänderung"),
        (["an EU-", "wide rule"], "an EU-wide rule"),
        (["a non-", "profit body"], "a non-profit body"),
        (["a 24-", "hour watch"], "a 24-hour watch"),
        (["Vor-", "und Nachteile"], "Vor- und Nachteile"),
        (["soft EU\u00ad", "wide"], "soft EUwide"),
        (["", "text"], "text"),
        (["text", "", "more"], "text more"),
        (["one"], "one"),
        ([], ""),
    ],
)
def test_rows_of_a_paragraph_are_joined(rows: list[str], text: str) -> None:
    assert join_rows(rows, [True] * len(rows)) == text


def test_a_row_that_does_not_run_on_keeps_its_end() -> None:
    assert join_rows(["12 Harbor-", "street"], [False, False]) == "12 Harbor-\nstreet"


def test_prose_is_joined_and_paragraphs_are_parted_by_a_blank_line() -> None:
    page = Page()
    page.prose(50, 200, 900, 4)
    page.prose(50, 360, 900, 4)
    text = page.laid_out().text
    assert text.count("\n\n") == 1
    assert text.count("\n") == 2


def test_an_address_keeps_its_lines() -> None:
    page = Page()
    page.stacked(50, 200, ["Anna Berg", "12 Harbor Street", "Portland"])
    page.prose(50, 400, 900, 8)
    assert page.laid_out().text.startswith("Anna Berg\n12 Harbor Street\nPortland\n\n")


@pytest.mark.parametrize(
    ("elsewhere", "text"),
    [
        ("all of it is nothing known here", "a lowmargin"),
        ("all low-margin shops were sold", "a low-margin"),
        ("both a low and a high margin of them", "a low-margin"),
        ("a low and a lowmargin and a margin too", "a lowmargin"),
    ],
)
def test_the_page_says_whether_a_hyphen_belongs_to_a_word(elsewhere: str, text: str) -> None:
    spellings = spellings_of([elsewhere, "a low-", "margin"])
    assert join_rows(["a low-", "margin"], [True, True], spellings) == text


def test_parts_of_words_at_the_ends_of_lines_are_no_words() -> None:
    spellings = spellings_of(["some coun-", "cil of a town", "the other coun-", "cil"])
    assert join_rows(["coun-", "cil"], [True, True], spellings) == "council"
