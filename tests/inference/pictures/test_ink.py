import numpy as np
import pytest

from inference.core.contracts import Pixels
from inference.pictures.ink import MEASURED_SIDE, ink_mask, small_picture
from tests.inference.pictures.drawing import ODD, drawn_lines, mask_of, plain


@pytest.mark.parametrize("pixels", ODD.values(), ids=ODD.keys())
def test_any_picture_has_a_mask_of_its_small_size(pixels: Pixels) -> None:
    small = small_picture(pixels)
    mask = ink_mask(small.gray)
    assert mask.shape == small.gray.shape == small.pixels.shape[:2]
    assert max(mask.shape) <= max(MEASURED_SIDE, 1)
    assert set(np.unique(mask)) <= {0, 1}


def test_a_small_picture_keeps_its_size() -> None:
    small = small_picture(plain(30, 40))
    assert (small.scale, small.gray.shape) == (1.0, (30, 40))


def test_the_scale_leads_back_to_the_page() -> None:
    small = small_picture(plain(4000, 3000))
    assert small.scale == 4.0
    assert small.gray.shape == (1000, 750)


@pytest.mark.parametrize("gray", [0, 128, 255])
def test_paper_of_one_gray_has_no_ink(gray: int) -> None:
    assert not mask_of(plain(600, 800, gray)).any()


@pytest.mark.parametrize(("ink", "paper"), [(20, 250), (250, 20), (120, 180), (90, 60)])
def test_print_is_ink_whether_it_is_dark_or_light(ink: int, paper: int) -> None:
    assert 0.01 < mask_of(drawn_lines(ink=ink, paper=paper)).mean() < 0.2


def test_a_shadow_is_no_ink() -> None:
    page = drawn_lines()
    shadow = np.linspace(1, 0.4, page.shape[1])[None, :, None]
    light, dark = mask_of(page), mask_of((page * shadow).astype(np.uint8))
    assert (light != dark).mean() < 0.02
