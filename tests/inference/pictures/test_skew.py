import numpy as np
import pytest

from inference.core.contracts import Pixels
from inference.pictures.ink import ink_mask
from inference.pictures.orientation import CLEAR_RHYTHM
from inference.pictures.skew import MAX_SKEW, measure_skew, residual_skew
from tests.inference.pictures.drawing import ODD, drawn_lines, mask_of, turned

ANGLES = [-14.6, -8.2, -3.3, -1.0, -0.4, 0.0, 0.3, 0.7, 2.5, 6.1, 11.9, 15.0]
SMALL_ANGLES = [-0.7, -0.4, -0.15, 0.0, 0.2, 0.55]


@pytest.mark.parametrize("angle", ANGLES)
def test_the_skew_of_level_lines_is_measured(angle: float) -> None:
    skew = measure_skew(mask_of(turned(drawn_lines(), angle)))
    assert not skew.vertical
    assert skew.rhythm >= CLEAR_RHYTHM
    assert skew.degrees == pytest.approx(angle, abs=0.1)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("turn", [1, 3])
def test_the_skew_of_plumb_lines_is_measured(angle: float, turn: int) -> None:
    skew = measure_skew(mask_of(turned(np.rot90(drawn_lines(), turn), angle)))
    assert skew.vertical
    assert skew.degrees == pytest.approx(angle, abs=0.1)


@pytest.mark.parametrize("angle", SMALL_ANGLES)
def test_what_is_left_of_the_skew_is_measured_exactly(angle: float) -> None:
    assert residual_skew(mask_of(turned(drawn_lines(), angle))) == pytest.approx(angle, abs=0.08)


@pytest.mark.parametrize("angle", [-6.0, 4.0])
def test_a_dark_table_around_the_sheet_changes_nothing(angle: float) -> None:
    skew = measure_skew(mask_of(turned(drawn_lines(), angle, beyond=40)))
    assert skew.degrees == pytest.approx(angle, abs=0.15)


@pytest.mark.parametrize("pixels", ODD.values(), ids=ODD.keys())
def test_a_picture_without_lines_is_level(pixels: Pixels) -> None:
    skew = measure_skew(mask_of(pixels))
    assert abs(skew.degrees) < 0.05
    assert skew.rhythm < CLEAR_RHYTHM


@pytest.mark.parametrize("shape", [(1, 1), (1, 1000), (1000, 1), (2, 2), (63, 64)])
@pytest.mark.parametrize("value", [0, 1])
def test_a_mask_of_any_shape_has_a_skew_within_its_range(shape: tuple[int, int], value: int) -> None:
    mask = np.full(shape, value, np.uint8)
    assert abs(measure_skew(mask).degrees) <= MAX_SKEW + 2
    assert abs(residual_skew(mask)) <= 2


def test_one_line_alone_has_a_skew() -> None:
    line = turned(drawn_lines(900, 200, size=30)[70:130], 2.0)
    assert measure_skew(ink_mask(np.ascontiguousarray(line[:, :, 0]))).degrees == pytest.approx(2.0, abs=0.3)
