import pytest

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
