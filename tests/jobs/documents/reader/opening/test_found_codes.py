"""Tests of the places of codes."""

from dataclasses import replace

from jobs.documents.reader.opening.code_parts import MARGIN_PX
from jobs.documents.reader.opening.found_codes import (
    Corner,
    FoundCode,
    is_thin,
    over_bars,
    without_partial_readings,
    without_pieces,
)


def found(left: float, top: float, right: float, bottom: float, text: str = "1") -> FoundCode:
    corners: tuple[Corner, ...] = ((left, top), (right, top), (right, bottom), (left, bottom))
    return FoundCode("ean13", text, "", corners)


def itf(left: float, top: float, right: float, bottom: float, text: str) -> FoundCode:
    return replace(found(left, top, right, bottom, text), symbology="itf")


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


def test_an_itf_code_read_in_part_is_dropped_beside_the_whole() -> None:
    whole = itf(1699, 1590, 2043, 1592, "00123456789012")
    parts = [
        itf(1862, 1530, 2022, 1533, "001234"),
        itf(1740, 1575, 2038, 1577, "001234567890"),
        itf(1721, 1649, 1880, 1651, "789012"),
    ]
    assert without_partial_readings([*parts, whole]) == [whole]


def test_other_codes_near_an_itf_code_are_kept() -> None:
    codes = [
        itf(1699, 1590, 2043, 1592, "00123456789012"),
        itf(1699, 1690, 2043, 1692, "00123456789012"),
        itf(1862, 1530, 2022, 1533, "991234"),
        replace(itf(1862, 1530, 2022, 1533, "001234"), symbology="code128"),
        itf(1862, 2530, 2022, 2533, "001234"),
    ]
    assert without_partial_readings(codes) == codes
