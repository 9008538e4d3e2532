import numpy as np
import pytest

from inference.core.contracts import Pixels
from inference.runtime.missed_text import MAX_PIECES, MIN_SIDE, missed_pieces
from inference.runtime.text_detection import Floats

NONE = np.empty((0, 4, 2), np.float32)


def page(*marks: tuple[int, int, int, int], gray: int = 0) -> Pixels:
    """Return a white page with filled rectangles, given as left, top, width and height."""
    image = np.full((2000, 1400, 3), 255, np.uint8)
    for left, top, width, height in marks:
        image[top : top + height, left : left + width] = gray
    return image


def box(left: int, top: int, width: int, height: int) -> Floats:
    right, bottom = left + width, top + height
    return np.array([[[left, top], [right, top], [right, bottom], [left, bottom]]], np.float32)


def test_ink_outside_all_boxes_is_shown_by_itself() -> None:
    (piece,) = missed_pieces(page((700, 1000, 120, 20), (100, 100, 90, 20)), box(90, 90, 110, 40))
    assert min(piece.picture.shape[:2]) == MIN_SIDE
    assert (piece.picture < 255).all(axis=2).sum() == 120 * 20
    across, down = 700 - piece.left, 1000 - piece.top
    assert (piece.picture[down : down + 20, across : across + 120] == 0).all()


@pytest.mark.parametrize("corner", [(0, 0), (1300, 0), (0, 1980), (1300, 1980)])
def test_piece_in_a_corner_stays_inside_the_page(corner: tuple[int, int]) -> None:
    (piece,) = missed_pieces(page((*corner, 100, 20)), NONE)
    assert piece.picture.shape == (MIN_SIDE, MIN_SIDE, 3)
    assert (piece.picture < 255).all(axis=2).sum() == 100 * 20


def test_words_of_a_line_are_one_piece_and_distant_words_are_two() -> None:
    assert len(missed_pieces(page((100, 100, 80, 20), (210, 100, 80, 20)), NONE)) == 1
    assert len(missed_pieces(page((100, 100, 80, 20), (600, 100, 80, 20)), NONE)) == 2


@pytest.mark.parametrize(
    "marks",
    [
        pytest.param([], id="blank"),
        pytest.param([(100, 100, 4, 4)], id="dust"),
        pytest.param([(100, 100, 1200, 3)], id="ruled line"),
        pytest.param([(100, 100 + 40 * row, 1000, 16) for row in range(30)], id="page of text"),
    ],
)
def test_page_without_missed_words_is_not_looked_at_again(marks: list[tuple[int, int, int, int]]) -> None:
    assert missed_pieces(page(*marks), NONE) == []


def test_grain_of_a_scan_is_no_ink() -> None:
    image = page()
    image[::7, ::3] = 230
    assert missed_pieces(image, NONE) == []


def test_found_line_with_an_underline_is_not_looked_at_again() -> None:
    assert missed_pieces(page((100, 100, 200, 20), (100, 128, 20, 2)), box(95, 95, 210, 32)) == []


def test_pieces_are_bounded_and_those_with_most_ink_come_first() -> None:
    marks = [(100, 100 + 200 * row, 20 + 10 * row, 20) for row in range(8)]
    pieces = missed_pieces(page(*marks), NONE)
    assert len(pieces) == MAX_PIECES
    assert [(piece.picture == 0).all(axis=2).sum() // 20 for piece in pieces] == [90, 80, 70, 60]


def test_half_found_line_is_replaced_and_other_lines_stay() -> None:
    half, other = box(95, 95, 60, 32), box(95, 595, 110, 32)
    (piece,) = missed_pieces(page((100, 100, 200, 20), (100, 600, 100, 20)), np.concatenate([half, other]))
    whole = box(100 - piece.left, 100 - piece.top, 200, 20)
    found = piece.add(whole, np.concatenate([half, other]))
    assert np.array_equal(found, np.concatenate([box(100, 100, 200, 20), other]))


def test_what_was_known_stays_where_the_second_look_finds_nothing() -> None:
    half = box(95, 95, 60, 32)
    (piece,) = missed_pieces(page((100, 100, 200, 20)), half)
    assert np.array_equal(piece.add(NONE, half), half)
