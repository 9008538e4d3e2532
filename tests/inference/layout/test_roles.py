import pytest

from inference.layout.roles import CAPTION, FOOTNOTE, is_page_number
from tests.inference.layout.pages import Page, roles


@pytest.mark.parametrize("text", ["7", "- 7 -", "Page 3 of 12", "Seite 4", "xiv", "3/12", "[12]", "S. 9"])
def test_page_numbers_are_known(text: str) -> None:
    assert is_page_number(text)


@pytest.mark.parametrize("text", ["", "-", "Report 7 of May", "12345", "Page", "seven", "3 apples"])
def test_other_text_is_no_page_number(text: str) -> None:
    assert not is_page_number(text)


@pytest.mark.parametrize("text", ["Figure 3: A map", "Fig. 2", "Tabelle 1 – Preise", "Abb. 4", "table 12."])
def test_captions_begin_with_their_kind_and_number(text: str) -> None:
    assert CAPTION.match(text)


@pytest.mark.parametrize("text", ["Figures show", "A table 3", "Abbott 3", "Mapping"])
def test_other_text_is_no_caption(text: str) -> None:
    assert not CAPTION.match(text)


@pytest.mark.parametrize("text", ["1 See above", "¹ See above", "* See above", "[3] Smith", "†Smith", "12Smith"])
def test_footnotes_begin_with_a_mark(text: str) -> None:
    assert FOOTNOTE.match(text)


@pytest.mark.parametrize("text", ["See above", "1.5 percent", "2024 was good", "(1) See"])
def test_other_text_is_no_footnote(text: str) -> None:
    assert not FOOTNOTE.match(text)


def test_headings_have_levels_by_their_size() -> None:
    page = Page()
    page.line(50, 200, "The whole work", height=50)
    page.line(50, 300, "A part of it", height=36)
    page.prose(50, 360, 900, 6)
    page.line(50, 560, "Another part", height=36)
    page.prose(50, 620, 900, 6)
    page.line(50, 820, "A chapter", height=27)
    page.prose(50, 870, 900, 6)
    levels = [block.level for block in page.laid_out().blocks if block.type == "heading"]
    assert levels == [1, 2, 2, 3]


def test_items_of_a_list_are_blocks_of_their_own() -> None:
    page = Page()
    page.prose(50, 200, 900, 4)
    items = page.stacked(50, 340, ["• The first thing to do", "• The second one", "• The third one"])
    assert roles(page.laid_out())["list_item"] == [[number] for number in items]


def test_large_print_at_the_top_of_a_page_is_no_header() -> None:
    page = Page()
    title = page.line(50, 60, "Annual report", height=48)
    page.prose(50, 200, 900, 10)
    assert roles(page.laid_out())["heading"] == [[title]]


def test_only_prose_above_makes_small_print_a_footnote() -> None:
    page = Page()
    page.stacked(50, 200, ["1 Small print alone", "2 More of it"], height=14)
    assert "footnote" not in roles(page.laid_out())
