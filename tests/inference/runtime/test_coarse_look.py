import numpy as np
import pytest

from inference.core.contracts import Pixels
from inference.runtime.coarse_look import COARSE_PIXELS, coarse_scale, inked_part, needs_closer_look
from inference.runtime.text_detection import Floats
from tests.inference.runtime.pictures import draw_page

LINES = tuple(f"Line {number} of a page of print" for number in range(8))


def blank(height: int = 1200, width: int = 900) -> Pixels:
    return np.full((height, width, 3), 255, np.uint8)


def page() -> Pixels:
    return draw_page(LINES, width=900, height=1200)


def boxes_of(lines: int, *, height: float = 40.0) -> Floats:
    """Return boxes around the first lines of the page."""
    tops = [46 + 70 * row for row in range(lines)]
    boxes = [[[55, top], [480, top], [480, top + height], [55, top + height]] for top in tops]
    return np.array(boxes, np.float32).reshape(-1, 4, 2)


def test_part_with_ink_has_a_margin_and_leaves_out_the_rest() -> None:
    pixels = blank()
    pixels[300:340, 200:600] = 0
    inked = inked_part(pixels)
    margin = 0.02 * 1200
    assert [inked.left, inked.top] == pytest.approx([200 - margin, 300 - margin], abs=4)
    assert [inked.right, inked.bottom] == pytest.approx([600 + margin, 340 + margin], abs=4)
    assert inked.cut(pixels).shape == (inked.bottom - inked.top, inked.right - inked.left, 3)


def test_part_with_ink_ends_at_the_edges_of_the_page() -> None:
    pixels = blank()
    pixels[0:30, 0:300] = 0
    pixels[1150:1200, 880:900] = 0
    inked = inked_part(pixels)
    assert (inked.left, inked.top, inked.right, inked.bottom) == (0, 0, 900, 1200)


def test_page_without_ink_is_taken_as_a_whole() -> None:
    inked = inked_part(blank())
    assert (inked.left, inked.top, inked.right, inked.bottom) == (0, 0, 900, 1200)
    assert not inked.mask.any()


def test_boxes_on_the_part_are_moved_to_the_page() -> None:
    pixels = blank()
    pixels[300:340, 200:600] = 0
    inked = inked_part(pixels)
    box = np.array([[[0, 0], [10, 0], [10, 5], [0, 5]]], np.float32)
    assert inked.on_image(box)[0, 0].tolist() == [inked.left, inked.top]
    assert inked.on_image(np.zeros((0, 4, 2), np.float32)).shape == (0, 4, 2)


@pytest.mark.parametrize(("height", "width"), [(2339, 1654), (1654, 2339), (5000, 400)])
def test_large_pages_are_looked_at_with_the_same_number_of_pixels(height: int, width: int) -> None:
    scale = coarse_scale(blank(height, width))
    assert scale < 1
    assert height * width * scale**2 == pytest.approx(COARSE_PIXELS)


def test_small_pages_are_not_made_smaller() -> None:
    assert coarse_scale(blank(600, 800)) == 1


def test_page_whose_lines_were_all_found_needs_no_closer_look() -> None:
    assert not needs_closer_look(boxes_of(len(LINES)), inked_part(page()), 0.7)


def test_line_outside_all_boxes_needs_a_closer_look() -> None:
    assert needs_closer_look(boxes_of(len(LINES) - 1), inked_part(page()), 0.7)


def test_picture_or_frame_outside_all_boxes_needs_none() -> None:
    pixels = page()
    pixels[700:1100, 100:800] = 90
    pixels[640:644, 60:860] = 0
    assert not needs_closer_look(boxes_of(len(LINES)), inked_part(pixels), 0.7)


def test_very_low_lines_need_a_closer_look() -> None:
    assert needs_closer_look(boxes_of(len(LINES)), inked_part(page()), 0.15)
    assert not needs_closer_look(boxes_of(len(LINES)), inked_part(page()), 0.25)


def test_page_without_boxes_needs_a_closer_look_only_if_it_has_ink() -> None:
    none = np.zeros((0, 4, 2), np.float32)
    assert needs_closer_look(none, inked_part(page()), 0.7)
    assert not needs_closer_look(none, inked_part(blank()), 0.7)
