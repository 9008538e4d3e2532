import pytest

from inference.layout.roles import CAPTION, FOOTNOTE, is_page_number
from tests.inference.layout.pages import CHARACTER, Page, roles


@pytest.mark.parametrize("text", ["7", "- 7 -", "Page 3 of 12", "Seite 4", "xiv", "3/12", "[12]", "S. 9"])
def test_page_numbers_are_known(text: str) -> None:
    assert is_page_number(text)


@pytest.mark.parametrize("text", ["", "-", "Report 7 of May", "12345", "Page", "seven", "3 apples"])
def test_other_text_is_no_page_number(text: str) -> None:
    assert not is_page_number(text)


@pytest.mark.parametrize(
    "text", ["Figure 3: A map", "Fig. 2", "Tabelle 1 – Preise", "Abb. 4", "table 12.", "Figure SA4. Cases", "Table A-3"]
)
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


@pytest.mark.parametrize("height", [25, 27, 30])
def test_a_title_a_little_larger_than_the_text_is_no_header(height: float) -> None:
    page = Page()
    title = page.line(50, 60, "Quarterly harvest report", height=height)
    page.prose(50, 130, 900, 10)
    assert roles(page.laid_out())["heading"] == [[title]]


def test_bold_print_at_the_top_of_a_page_is_no_header() -> None:
    page = Page()
    title = page.line(50, 60, "Results of the harvest", width=22 * 1.4 * CHARACTER)
    page.prose(50, 130, 900, 10)
    found = roles(page.laid_out())
    assert "header" not in found
    assert [title] in found.get("heading", []) + found["paragraph"]


@pytest.mark.parametrize(
    ("text", "height", "wider"),
    [
        pytest.param("Northern news, volume 7", 20, 1.0, id="as large as the text"),
        pytest.param("Jahrbuch für Überzeugung, Band 7", 24, 1.0, id="made higher by its letters alone"),
        pytest.param("NORTHERN NEWS", 17, 1.4, id="capitals"),
    ],
)
def test_other_lines_at_the_top_of_a_page_are_headers(text: str, height: float, wider: float) -> None:
    page = Page()
    header = page.line(50, 60, text, width=wider * CHARACTER * len(text), height=height)
    page.prose(50, 130, 900, 10)
    assert roles(page.laid_out())["header"] == [[header]]


def test_only_prose_above_makes_small_print_a_footnote() -> None:
    page = Page()
    page.stacked(50, 200, ["1 Small print alone", "2 More of it"], height=14)
    assert "footnote" not in roles(page.laid_out())


@pytest.mark.parametrize("mark", ["•", "3.", "b)", "\uf0b7"])
def test_an_item_whose_mark_stands_apart_is_one_block(mark: str) -> None:
    page = Page()
    page.prose(50, 200, 900, 4)
    sign = page.line(50, 360, mark)
    rows = page.prose(120, 360, 830, 3)
    page.prose(50, 480, 900, 6)
    layout = page.laid_out()
    assert roles(layout)["list_item"] == [[sign, *rows]]
    assert f"\n{mark} the quick brown fox" in layout.text
    assert len(layout.text.split("\n\n")[1].splitlines()) == 1


def test_a_heading_has_the_level_of_its_number() -> None:
    page = Page()
    for row, (number, title) in enumerate([("2", "The work"), ("2.1", "Its parts"), ("2.3.1", "Their order")]):
        top = 200 + 300 * row
        page.line(50, top, number, height=26)
        page.line(120, top, title, height=26)
        page.prose(50, top + 60, 900, 6)
    headings = [block for block in page.laid_out().blocks if block.type == "heading"]
    assert [(block.level, block.paragraph.text) for block in headings] == [
        (1, "2 The work"),
        (2, "2.1 Its parts"),
        (3, "2.3.1 Their order"),
    ]


def test_the_title_of_a_section_ends_where_its_text_begins() -> None:
    page = Page()
    page.prose(50, 200, 900, 6)
    title = page.line(50, 400, "8.6.2 Coffee")
    page.prose(50, 427, 900, 6)
    assert roles(page.laid_out())["heading"] == [[title]]


def test_notes_at_the_foot_whose_numbers_stand_apart_are_footnotes() -> None:
    page = Page()
    page.prose(50, 200, 900, 12)
    first = [page.line(50, 640, "33.", height=15), page.line(100, 640, "Taken from the second edition", height=15)]
    second = [page.line(50, 665, "34.", height=15), page.line(100, 665, "Taken from the third one", height=15)]
    assert roles(page.laid_out())["footnote"] == [first, second]


def test_the_numbers_of_the_rows_of_a_table_stay_in_it() -> None:
    page = Page()
    rows = [[str(number), "A chair of wood", "2", f"{number}0.50"] for number in range(1, 6)]
    cells = page.table([50, 100, 500, 700], 300, rows)
    assert roles(page.laid_out()) == {"rows": [cells]}


def test_a_number_that_ends_a_column_is_no_mark_of_the_next_column() -> None:
    page = Page()
    left = [*page.stacked(50, 200, ["the quick brown fox jumps over it"] * 9), page.line(50, 443, "30.")]
    right = page.stacked(430, 200, ["the lazy dog runs on through it"] * 12)
    assert page.laid_out().order == [*left, *right]


def test_a_numbered_clause_that_fills_its_rows_is_no_heading() -> None:
    page = Page()
    page.prose(50, 200, 900, 6)
    page.line(50, 400, "1.1 The assignment of any rights needs consent", width=900)
    page.line(50, 427, "of the other party in writing.")
    assert "heading" not in roles(page.laid_out())


def test_a_numbered_clause_with_a_hanging_indent_is_one_item() -> None:
    page = Page()
    page.prose(50, 200, 900, 6)
    clause = [page.line(50, 400, "1.1 The assignment of any right"), page.line(90, 427, "needs consent of the other.")]
    assert roles(page.laid_out())["list_item"] == [clause]
