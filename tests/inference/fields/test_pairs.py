from inference.core.contracts import TextLine
from inference.fields.pairs import page_pairs
from inference.layout.boxes import Box


def placed(text: str, left: float, top: float) -> TextLine:
    return TextLine(text, Box(left, top, left + 10 * len(text), top + 16).corners(), 0.9)


def pairs_of(lines: list[TextLine]) -> list[tuple[str, str]]:
    return [(pair["key"], pair["value"]) for pair in page_pairs(lines, 800, 1000)]


def test_key_and_value_in_one_line() -> None:
    lines = [placed("Color of the roof: dark red", 10, 10), placed("Invoice no.: 4711", 10, 40)]
    assert pairs_of(lines) == [("Color of the roof", "dark red"), ("Invoice no.", "4711")]


def test_value_beside_and_below_its_key() -> None:
    lines = [
        placed("Kundennummer:", 10, 10),
        placed("4711", 300, 10),
        placed("Name:", 10, 60),
        placed("Anna Meier", 10, 82),
    ]
    assert pairs_of(lines) == [("Kundennummer", "4711"), ("Name", "Anna Meier")]


def test_pair_has_the_boxes_of_both() -> None:
    (pair,) = page_pairs([placed("Weight: 12 kg", 10, 10)], 800, 1000)
    key, value = Box.of_corners(pair["key_box"]), Box.of_corners(pair["value_box"])
    assert key.left == 10
    assert key.right <= value.left
    assert value.right == 140
    assert pair["confidence"] == 0.855


def test_times_links_and_prose_are_no_pairs() -> None:
    lines = [
        placed("10:30", 10, 10),
        placed("https://example.com", 10, 40),
        placed("Total of all regions", 10, 100),
        placed("14.862", 300, 100),
        placed("Note: the values of this table were taken from many sources over several years", 10, 130),
        placed("of them: nine", 10, 160),
        placed("Tel.: 0123 456 Fax: 0123 457", 10, 190),
        placed("We met at 10:30 near the river and talked for hours about the weather", 10, 70),
    ]
    assert pairs_of(lines) == []


def test_lines_without_boxes_have_no_pairs() -> None:
    assert page_pairs([TextLine("Weight: 12 kg", None, None)], None, None) == []
