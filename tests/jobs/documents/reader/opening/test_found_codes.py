"""Tests of the places of codes."""

from jobs.documents.reader.opening.code_parts import MARGIN_PX
from jobs.documents.reader.opening.found_codes import Corner, FoundCode, is_thin, over_bars, without_pieces


def found(left: float, top: float, right: float, bottom: float, text: str = "1") -> FoundCode:
    corners: tuple[Corner, ...] = ((left, top), (right, top), (right, bottom), (left, bottom))
    return FoundCode("ean13", text, "", corners)


def test_a_code_of_which_one_row_was_read_is_as_high_as_its_bars() -> None:
    row = found(100, 140, 300, 140)
    assert is_thin(row)
    whole = over_bars(row, (100 - MARGIN_PX, 90 - MARGIN_PX, 300 + MARGIN_PX, 190 + MARGIN_PX))
    assert whole.corners == ((100, 90), (300, 90), (300, 190), (100, 190))
    column = over_bars(found(140, 100, 144, 300), (90 - MARGIN_PX, 100, 190 + MARGIN_PX, 300))
    assert column.corners == ((90, 100), (190, 100), (190, 300), (90, 300))


def test_pieces_are_one_code_and_another_reading_of_the_same_bars_is_dropped() -> None:
    pieces = [found(100, 100, 300, 110), found(100, 150, 300, 160)]
    assert [code.corners[2] for code in without_pieces(pieces)] == [(300, 160)]
    readings = [found(100, 100, 300, 200), found(100, 101, 299, 199, "2"), found(100, 400, 300, 500, "3")]
    assert [code.text for code in without_pieces(readings)] == ["1", "3"]
