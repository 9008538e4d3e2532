import pytest

from inference.layout.boxes import Box, PageLine
from inference.layout.page_layout import lay_out
from tests.inference.layout.pages import HEIGHT, Page, roles


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_columns_of_prose_are_read_one_after_the_other(count: int) -> None:
    page = Page()
    width = 1000 / count
    for column in range(count):
        page.prose(50 + column * width, 200, width - 40, 14)
    assert page.laid_out().order == list(range(14 * count))


@pytest.mark.parametrize("shift", [0.0, 7.0, 13.0])
def test_columns_need_not_be_level_with_each_other(shift: float) -> None:
    page = Page()
    page.prose(50, 200, 400, 12)
    page.prose(500, 200 + shift, 400, 9)
    assert page.laid_out().order == list(range(21))


def test_a_headline_across_is_read_before_the_columns_below_it() -> None:
    page = Page()
    page.line(200, 150, "A headline across it all", height=40)
    page.prose(50, 240, 450, 10)
    page.prose(550, 240, 450, 10)
    assert page.laid_out().order == list(range(21))


def test_text_across_the_page_parts_the_columns_above_it_from_those_below() -> None:
    page = Page()
    page.prose(50, 200, 450, 6)
    page.prose(550, 200, 450, 6)
    page.prose(50, 400, 950, 3)
    page.prose(50, 520, 450, 6)
    page.prose(550, 520, 450, 6)
    assert page.laid_out().order == list(range(27))


def test_a_table_is_read_row_by_row() -> None:
    page = Page()
    rows = [
        ["Item", "Count", "Price"],
        ["A chair", "2", "80.00"],
        ["A long table", "1", "240.00"],
        ["Lamp", "4", "9.50"],
    ]
    cells = page.table([50, 450, 700], 300, rows)
    layout = page.laid_out()
    assert roles(layout) == {"rows": [cells]}
    assert layout.text.splitlines()[1] == "A chair 2 80.00"


def test_labels_are_read_with_the_values_beside_them() -> None:
    page = Page()
    page.table(
        [50, 400], 300, [["Number:", "4711"], ["Date:", "2024-03-01"], ["Customer:", "Anna Berg"], ["Due:", "May 3"]]
    )
    assert page.laid_out().order == list(range(8))


def test_addresses_beside_each_other_are_read_one_after_the_other() -> None:
    page = Page()
    page.stacked(50, 200, ["Northwind Trading", "12 Harbor Street", "Portland, ME 04101"])
    page.stacked(650, 200, ["Contoso Limited", "7 Market Square", "Salem, OR 97301"])
    page.prose(50, 400, 950, 6)
    assert page.laid_out().order == list(range(12))


def test_columns_from_right_to_left_are_read_from_the_right() -> None:
    page = Page()
    words = "كان هناك رجل يعيش في قرية صغيرة قرب النهر"
    left = [page.line(50, 200 + 27 * row, words, width=400 - row % 2) for row in range(10)]
    right = [page.line(550, 200 + 27 * row, words, width=400 - row % 2) for row in range(10)]
    assert page.laid_out().order == right + left


def test_pieces_of_a_row_from_right_to_left_are_read_from_the_right() -> None:
    page = Page()
    second, first = page.line(50, 200, "شكرا", width=180), page.line(235, 200, "سلام", width=100)
    layout = page.laid_out()
    assert layout.order == [first, second]
    assert layout.text == "سلام شكرا"


def test_pieces_of_a_line_are_read_as_one_row() -> None:
    page = Page()
    page.prose(50, 200, 900, 3)
    page.line(50, 281, "the last row of this")
    page.line(256, 283, "came in two pieces")
    layout = page.laid_out()
    assert layout.order == [0, 1, 2, 3, 4]
    assert layout.text.endswith("the last row of this came in two pieces")


def test_notes_in_the_margin_are_read_after_the_paragraph_beside_them() -> None:
    page = Page()
    first = page.prose(300, 200, 700, 8)
    second = page.prose(300, 460, 700, 8)
    note = page.stacked(50, 230, ["A small note", "on the first"], height=14)
    layout = page.laid_out()
    assert layout.order == [*first, *note, *second]
    assert roles(layout)["side_note"] == [note]


def test_footnotes_are_read_after_all_columns() -> None:
    page = Page()
    left = page.prose(50, 200, 450, 20)
    note = page.stacked(50, 780, ["1 Taken from the second edition", "of the work that is named"], height=14)
    right = page.prose(550, 200, 450, 22)
    layout = page.laid_out()
    assert layout.order == [*left, *right, *note]
    assert roles(layout)["footnote"] == [note]


def test_footnotes_are_known_by_narrow_letters_where_all_boxes_are_as_high() -> None:
    page = Page()
    left = page.prose(50, 200, 450, 20)
    texts = ["1 Taken from the second edition of the work", "2 Named in the first edition"]
    note = [page.line(50, 780 + 22 * row, text, width=7.8 * len(text)) for row, text in enumerate(texts)]
    right = page.prose(550, 200, 450, 22)
    assert page.laid_out().order == [*left, *right, *note]


def test_a_column_in_smaller_print_is_no_margin_beside_columns_as_wide() -> None:
    page = Page()
    page.prose(50, 200, 220, 8, height=18)
    for column in range(1, 4):
        page.prose(50 + 250 * column, 200, 220, 30)
    layout = page.laid_out()
    assert layout.order == list(range(98))
    assert "side_note" not in roles(layout)


def test_a_footer_may_stand_a_little_higher_than_a_header() -> None:
    page = Page()
    page.prose(50, 200, 450, 20)
    page.prose(550, 200, 450, 20)
    footer = page.line(350, 1250, "A report of the year", height=18)
    assert roles(page.laid_out())["footer"] == [[footer]]


def test_a_caption_at_the_top_of_a_page_is_no_header() -> None:
    page = Page()
    page.line(50, 60, "Table 3: Prices of a year", height=18)
    page.prose(50, 200, 900, 20)
    assert "header" not in roles(page.laid_out())


def test_headers_come_first_and_page_numbers_last() -> None:
    page = Page()
    number = page.line(500, 1340, "17", height=15)
    body = page.prose(50, 200, 900, 20)
    header = page.line(50, 60, "A report of the year", height=15)
    layout = page.laid_out()
    assert layout.order == [header, *body, number]
    assert roles(layout) | {"paragraph": []} == {"header": [[header]], "paragraph": [], "page_number": [[number]]}


def test_a_footer_stands_apart_from_the_page_number_beside_it() -> None:
    page = Page()
    page.prose(50, 200, 900, 20)
    footer, number = page.line(50, 1340, "Confidential", height=15), page.line(850, 1340, "Page 2 of 9", height=15)
    found = roles(page.laid_out())
    assert (found["footer"], found["page_number"]) == ([[footer]], [[number]])


def test_the_scale_of_the_picture_changes_nothing() -> None:
    page = Page()
    page.line(200, 150, "A headline across it all", height=40)
    page.prose(50, 240, 450, 10)
    page.prose(550, 240, 450, 10)
    page.table([50, 550], 600, [["Item", "12"], ["Other", "13"], ["Third", "14"]])
    for scale in (0.3, 4.0):
        sides = [(line.index, line.text, line.box) for line in page.lines]
        scaled = [
            PageLine(index, text, Box(box.left * scale, box.top * scale, box.right * scale, box.bottom * scale))
            for index, text, box in sides
        ]
        assert lay_out(scaled, 1400 * scale).order == page.laid_out().order


def test_the_height_of_print_is_that_of_most_text() -> None:
    page = Page()
    page.stacked(50, 100, ["X"] * 8, height=60)
    page.prose(50, 700, 900, 5)
    assert page.laid_out().blocks[-1].paragraph.height == HEIGHT


def test_a_caption_below_a_picture_across_two_columns_is_read_after_both() -> None:
    page = Page()
    left = page.prose(50, 200, 450, 12)
    caption = page.line(50, 900, "The old harbor, about 1900")
    right = page.prose(550, 200, 450, 12)
    assert page.laid_out().order == [*left, *right, caption]


def test_a_caption_below_a_picture_in_one_column_is_read_with_that_column() -> None:
    page = Page()
    left = page.prose(50, 200, 450, 12)
    caption = page.line(50, 900, "The old harbor, about 1900")
    right = page.prose(550, 200, 450, 27)
    assert page.laid_out().order == [*left, caption, *right]


def test_footnotes_above_a_picture_are_read_after_all_columns() -> None:
    page = Page()
    left = page.prose(50, 200, 450, 12)
    note = page.stacked(50, 560, ["1 Taken from the second edition", "of the work that is named"], height=14)
    caption = page.line(50, 900, "The old harbor, about 1900")
    right = page.prose(550, 200, 450, 14)
    assert page.laid_out().order == [*left, *right, caption, *note]


def test_an_invoice_is_read_block_by_block() -> None:
    page = Page()
    sender = page.stacked(700, 100, ["Larkspur Media", "Church Lane 8"])
    address = page.stacked(50, 200, ["Tessel LLC", "4 Mill Road", "Oxford"])
    title = page.line(50, 330, "Tax Invoice", height=28)
    rows = [
        ["Item", "Hours", "Amount"],
        ["Editing of a text", "2", "80.00"],
        ["Proofs", "1", "40.00"],
        ["Index", "4", "160.00"],
    ]
    cells = page.table([50, 650, 850], 420, rows)
    sums = page.table([650, 850], 580, [["Net", "280.00"], ["Tax", "56.00"], ["Total", "336.00"]])
    assert page.laid_out().order == [*sender, *address, title, *cells, *sums]
