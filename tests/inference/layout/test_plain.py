import pytest

from inference.layout.plain import plain_layout


def blocks(*texts: str) -> list[tuple[str, list[int]]]:
    return [(block["type"], block["lines"]) for block in plain_layout(texts).blocks]


def test_empty_lines_part_paragraphs() -> None:
    assert blocks("one", "two", "", "  ", "three") == [("paragraph", [0, 1]), ("paragraph", [4])]


@pytest.mark.parametrize("mark", ["-", "•", "2.", "b)"])
def test_each_mark_of_a_list_begins_an_item(mark: str) -> None:
    found = blocks("We need:", f"{mark} bread", f"{mark} milk,", "fresh")
    assert found == [("paragraph", [0]), ("list_item", [1]), ("list_item", [2, 3])]


def test_text_stays_as_it_was_written() -> None:
    texts = ["  one", "", "two  ", "- three"]
    assert plain_layout(texts).text == "  one\n\ntwo  \n- three"


def test_text_of_nothing_has_no_blocks() -> None:
    assert blocks() == []
    assert blocks("", " ") == []


def test_blocks_of_a_text_have_no_place() -> None:
    assert [block["box"] for block in plain_layout(["one", "", "two"]).blocks] == [None, None]
