"""Tests of tick boxes on pictures."""

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from inference.core.contracts import Pixels
from inference.layout.boxes import Box
from inference.marks.picture_boxes import find_tick_boxes

TEXTS = [Box(20.0, top, 580.0, top + 30.0) for top in range(10, 380, 40)]
"""Lines of text all over the page, so that a box anywhere has text beside it."""
SIDE = 28


def paper(noise: float = 0.0) -> Pixels:
    grain = np.random.default_rng(1).normal(245, noise, (400, 600)) if noise else np.full((400, 600), 245.0)
    return np.repeat(np.clip(grain, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def frame(page: Pixels, left: int, top: int, side: int = SIDE, thick: int = 2) -> None:
    cv2.rectangle(page, (left, top), (left + side, top + side), (30, 30, 30), thick)


def letters(page: Pixels, text: str, left: int, top: int) -> None:
    picture = Image.fromarray(page)
    ImageDraw.Draw(picture).text((left, top), text, font=ImageFont.load_default(28), fill=(30, 30, 30))
    page[:] = np.asarray(picture)


@pytest.mark.parametrize("noise", [0.0, 10.0])
def test_boxes_are_found_with_their_ticks(noise: float) -> None:
    page = paper(noise)
    for left in (50, 150, 250, 350):
        frame(page, left, 100)
    cv2.line(page, (150, 100), (178, 128), (30, 30, 30), 2)
    cv2.line(page, (178, 100), (150, 128), (30, 30, 30), 2)
    cv2.polylines(page, [np.array([(255, 112), (262, 124), (290, 85)])], False, (110, 30, 20), 3)
    found = sorted(find_tick_boxes(page, TEXTS), key=lambda each: each.box.left)
    assert [each.checked for each in found] == [False, True, True, False]
    assert [round(each.box.left / 50) for each in found] == [1, 3, 5, 7]
    assert all(abs(each.box.width - SIDE) <= 4 for each in found)


def test_letters_and_filled_squares_are_no_boxes() -> None:
    page = paper()
    letters(page, "D o Q 0 O D H a e u n", 20, 60)
    letters(page, "LABEL DOOR BOB of to all", 20, 130)
    for top in (250, 300, 350):
        cv2.rectangle(page, (40, top), (60, top + 20), (30, 30, 30), -1)
    assert find_tick_boxes(page, TEXTS) == []


def test_cells_of_a_table_are_no_boxes() -> None:
    page = paper()
    for row in range(4):
        for column in range(6):
            frame(page, 50 + 32 * column, 100 + 32 * row, 32)
    assert find_tick_boxes(page, TEXTS) == []


def test_a_filled_square_is_ticked_where_others_of_its_size_are_open() -> None:
    page = paper()
    frame(page, 50, 100)
    cv2.rectangle(page, (50, 200), (78, 228), (30, 30, 30), -1)
    found = sorted(find_tick_boxes(page, TEXTS), key=lambda each: each.box.top)
    assert [each.checked for each in found] == [False, True]


def test_circles_are_radio_buttons_where_one_has_a_dot() -> None:
    page = paper()
    for left in (60, 160, 260):
        cv2.circle(page, (left, 100), 13, (30, 30, 30), 2)
    assert find_tick_boxes(page, TEXTS) == []
    cv2.circle(page, (160, 100), 6, (30, 30, 30), -1)
    found = sorted(find_tick_boxes(page, TEXTS), key=lambda each: each.box.left)
    assert [each.checked for each in found] == [False, True, False]


def test_a_page_without_anything_has_no_boxes() -> None:
    assert find_tick_boxes(paper(), TEXTS) == []
    assert find_tick_boxes(np.zeros((40, 40, 3), np.uint8), []) == []


def test_a_box_without_text_beside_it_is_not_looked_for() -> None:
    page = paper()
    frame(page, 50, 100)
    assert len(find_tick_boxes(page, [Box(90.0, 98.0, 200.0, 128.0)])) == 1
    assert find_tick_boxes(page, [Box(90.0, 298.0, 200.0, 328.0)]) == []


def test_boxes_that_a_long_tick_joins_are_apart() -> None:
    page = paper()
    frame(page, 50, 100)
    frame(page, 50, 142)
    cv2.polylines(page, [np.array([(56, 155), (62, 166), (86, 124)])], False, (30, 30, 30), 3)
    cv2.line(page, (78, 128), (70, 148), (30, 30, 30), 2)
    found = sorted(find_tick_boxes(page, TEXTS), key=lambda each: each.box.top)
    assert [(round(each.box.top / 10), each.checked) for each in found] == [(10, False), (14, True)]


def test_boxes_close_to_each_other_are_found_and_cells_in_a_row_are_not() -> None:
    page = paper()
    for top in (40, 76, 112):
        frame(page, 50, top)
    for column in range(5):
        frame(page, 200 + 30 * column, 200, 30)
    for row in range(4):
        frame(page, 500, 200 + 30 * row, 30)
    found = find_tick_boxes(page, TEXTS)
    assert sorted(round(each.box.top) // 4 for each in found) == [9, 18, 27]
    assert all(each.box.right < 100 for each in found)


def test_small_radio_buttons_whose_dots_are_blurred_are_found() -> None:
    large = np.full((1600, 2400, 3), 250, np.uint8)
    for left in (240, 640, 1040):
        cv2.circle(large, (left, 400), 26, (20, 20, 20), 6)
    cv2.circle(large, (640, 400), 13, (20, 20, 20), -1)
    page = cv2.GaussianBlur(cv2.resize(large, (600, 400), interpolation=cv2.INTER_AREA), (0, 0), 0.9)
    found = sorted(find_tick_boxes(np.asarray(page, np.uint8), TEXTS), key=lambda each: each.box.left)
    assert [each.checked for each in found] == [False, True, False]


def test_boxes_of_a_page_of_small_letters_are_found() -> None:
    page = paper()
    frame(page, 50, 100)
    assert len(find_tick_boxes(page, [Box(100.0, 106.0, 400.0, 119.0)])) == 1
