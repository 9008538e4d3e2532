"""Test that list items become lists."""

from jobs.results.exports.page_blocks import TextBlock
from jobs.results.exports.text_lists import TextList, with_lists


def lists(*texts: str) -> list[TextBlock | TextList]:
    return list(with_lists(TextBlock("list_item", text) for text in texts))


def test_items_with_bullets_are_one_list() -> None:
    assert lists("• one", "– two", "- three") == [TextList(("one", "two", "three"))]


def test_a_letter_stays_with_its_item() -> None:
    assert lists("a) one", "b) two") == [TextList(("a) one", "b) two"))]


def test_numbers_in_a_row_are_one_list_and_others_begin_one() -> None:
    assert lists("3. c", "4. d", "9) i", "(10) j") == [TextList(("c", "d"), 3), TextList(("i", "j"), 9)]


def test_a_number_that_a_list_cannot_show_stays_in_the_text() -> None:
    assert lists("01. one", "1234567890. two") == [TextList(("01. one", "1234567890. two"))]


def test_another_block_ends_a_list() -> None:
    paragraph = TextBlock("paragraph", "• no item")
    blocks = [TextBlock("list_item", "• a"), paragraph, TextBlock("list_item", "• b")]
    assert list(with_lists(blocks)) == [TextList(("a",)), paragraph, TextList(("b",))]
