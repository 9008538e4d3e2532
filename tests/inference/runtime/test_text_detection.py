import numpy as np
import pytest

from inference.runtime.text_detection import (
    MAX_DETECTOR_PIXELS,
    detector_input,
    find_boxes,
    in_reading_order,
    on_page,
    prepare_page,
)


def box_at(x: float, y: float) -> list[list[float]]:
    return [[x, y], [x + 50, y], [x + 50, y + 20], [x, y + 20]]


def test_rows_are_read_from_the_top_and_each_from_the_left() -> None:
    boxes = np.array([box_at(300, 204), box_at(10, 100), box_at(10, 200), box_at(200, 95)], np.float32)
    assert in_reading_order(boxes)[:, 0].tolist() == [[10, 100], [200, 95], [10, 200], [300, 204]]


def test_no_boxes_stay_no_boxes() -> None:
    found = find_boxes(np.zeros((64, 64), np.float32), width=64, height=64)
    assert found.shape == (0, 4, 2)


def test_marked_core_becomes_a_larger_box_in_the_pictures_own_pixels() -> None:
    probabilities = np.zeros((100, 200), np.float32)
    probabilities[40:50, 60:140] = 0.9
    (box,) = find_boxes(probabilities, width=400, height=200)
    left, top = box.min(axis=0)
    right, bottom = box.max(axis=0)
    assert left < 120
    assert right > 280
    assert top < 80
    assert bottom > 100


@pytest.mark.parametrize("value", [0.2, 0.4])
def test_faint_marks_are_no_text(value: float) -> None:
    probabilities = np.zeros((100, 200), np.float32)
    probabilities[40:50, 60:140] = value
    assert len(find_boxes(probabilities, width=200, height=100)) == 0


@pytest.mark.parametrize(
    ("height", "width"), [(2339, 1654), (1654, 2339), (5000, 30), (30, 5000), (10, 10), (1, 900), (640, 900)]
)
def test_input_of_the_detector_is_bounded_for_any_picture(height: int, width: int) -> None:
    page = prepare_page(np.full((height, width, 3), 255, np.uint8))
    tensor = detector_input(page.image)
    assert tensor.shape[2] % 32 == tensor.shape[3] % 32 == 0
    assert tensor.shape[2] * tensor.shape[3] <= MAX_DETECTOR_PIXELS * 1.1


def test_white_becomes_one_and_black_minus_one() -> None:
    pixels = np.zeros((736, 736, 3), np.uint8)
    pixels[:, 400:] = 255
    tensor = detector_input(pixels)
    assert (tensor[0, :, 10, 10].tolist(), tensor[0, :, 10, 500].tolist()) == ([-1] * 3, [1] * 3)


def test_boxes_return_to_the_pages_own_pixels_and_never_leave_it() -> None:
    page = prepare_page(np.zeros((4000, 2000, 3), np.uint8))
    height, width = page.image.shape[:2]
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float32)
    assert np.allclose(on_page(corners, page), [[[0, 0], [2000, 0], [2000, 4000], [0, 4000]]])
    assert on_page(corners + 100, page).max() <= 4000


def test_padding_above_a_flat_picture_is_taken_off_again() -> None:
    page = prepare_page(np.zeros((40, 800, 3), np.uint8))
    assert page.top > 0
    assert on_page(np.array([[[0, page.top]]], np.float32), page)[0, 0].tolist() == [0, 0]
