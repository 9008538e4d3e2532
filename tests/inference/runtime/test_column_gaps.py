import numpy as np
import pytest

from inference.runtime.column_gaps import part_joined_lines
from inference.runtime.text_detection import Floats

HEIGHT, PITCH = 20, 25
LEFT, RIGHT = (40, 190), (210, 360)
"""Two columns with a narrow gutter."""


def box(left: float, right: float, row: int) -> list[list[float]]:
    top = 40.0 + PITCH * row
    return [[left, top], [right, top], [right, top + HEIGHT], [left, top + HEIGHT]]


def ink(*columns: tuple[int, int], rows: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    mask = np.zeros((80 + PITCH * rows, 400), np.uint8)
    for row in range(rows):
        for left, right in columns:
            mask[43 + PITCH * row : 57 + PITCH * row, left:right] = 1
    return mask


def parts(boxes: list[list[list[float]]], rows: int = 20, *columns: tuple[int, int]) -> Floats:
    return part_joined_lines(np.array(boxes, np.float32), ink(*(columns or (LEFT, RIGHT)), rows=rows), 1.0)


def test_line_across_a_gutter_is_parted_in_its_middle() -> None:
    apart = [box(*side, row) for row in range(1, 20) for side in (LEFT, RIGHT)]
    found = parts([box(40, 360, 0), *apart])
    assert len(found) == 40
    assert found[0][:, 0].tolist() == [40, 200, 200, 40]
    assert found[1][:, 0].tolist() == [200, 360, 360, 200]


def test_lines_that_are_all_joined_are_all_parted() -> None:
    assert len(parts([box(40, 360, row) for row in range(20)])) == 40


def test_white_that_ends_soon_is_a_space() -> None:
    boxes = [box(40, 360, row) for row in range(20)]
    mask = ink((40, 360), rows=20)
    mask[: 40 + 3 * PITCH, 190:210] = 0
    assert len(part_joined_lines(np.array(boxes, np.float32), mask, 1.0)) == 20


def test_white_with_nothing_beside_it_is_no_gutter() -> None:
    boxes = [box(40, 360, 0), *(box(*LEFT, row) for row in range(1, 20))]
    assert len(parts(boxes, 20, LEFT)) == 20


@pytest.mark.parametrize("count", [0, 3])
def test_few_lines_stay_as_they_are(count: int) -> None:
    boxes = np.array([box(40, 360, row) for row in range(count)], np.float32).reshape(-1, 4, 2)
    assert part_joined_lines(boxes, ink(LEFT, RIGHT, rows=20), 1.0).shape == boxes.shape
