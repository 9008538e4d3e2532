import math

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw

from inference.core.contracts import Pixels, Quad
from inference.pictures.ink import small_picture
from inference.pictures.sheet import find_sheet
from tests.inference.pictures.drawing import ODD, drawn_lines, noise, plain, turned

UPRIGHT: Quad = ((90, 70), (620, 80), (630, 930), (80, 940))
SLANTED: Quad = ((150, 60), (590, 120), (680, 900), (60, 840))
SKEWED: Quad = ((200, 60), (660, 190), (520, 920), (60, 790))
SHEETS = {"upright": UPRIGHT, "slanted": SLANTED, "skewed": SKEWED}
SIZE = (720, 1000)
TABLES = {"dark": (50, 48, 46), "wood": (150, 110, 70), "blue": (60, 90, 160), "gray": (150, 150, 150)}


def shot(sheet: Quad, table: tuple[int, int, int] = (50, 48, 46), page: Pixels | None = None) -> Pixels:
    """Return a picture of a page whose corners lie at these places on a table."""
    page = drawn_lines() if page is None else page
    height, width = page.shape[:2]
    whole = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(whole, np.array(sheet, np.float32))
    shown = cv2.warpPerspective(page, matrix, SIZE, flags=cv2.INTER_AREA, borderValue=table)
    grain = np.random.default_rng(3).normal(0, 4, (SIZE[1], SIZE[0], 1))
    return np.clip(shown + grain, 0, 255).astype(np.uint8)


def farthest(found: Quad | None, truth: Quad) -> float:
    return math.inf if found is None else max(math.dist(one, other) for one, other in zip(found, truth, strict=True))


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS.keys())
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_the_corners_of_a_sheet_on_a_table_are_found(sheet: Quad, table: tuple[int, int, int]) -> None:
    assert farthest(find_sheet(small_picture(shot(sheet, table))), sheet) < 2.0


def test_uneven_light_does_not_hide_a_sheet() -> None:
    light = np.linspace(1.0, 0.45, SIZE[0])[None, :, None]
    assert farthest(find_sheet(small_picture((shot(SLANTED) * light).astype(np.uint8))), SLANTED) < 2.0


def test_a_skewed_scan_on_a_dark_lid_is_a_sheet() -> None:
    found = find_sheet(small_picture(turned(drawn_lines(700, 950), 7.0, beyond=30)))
    assert found is not None
    lengths = [math.dist(found[side], found[(side + 1) % 4]) for side in range(4)]
    scale = 1000 / turned(drawn_lines(700, 950), 7.0).shape[0]
    expected = [700 * min(scale, 1), 950 * min(scale, 1)] * 2
    assert lengths == pytest.approx(expected, abs=3)


@pytest.mark.parametrize("corner", range(4))
def test_a_sheet_that_is_cut_off_is_not_found(corner: int) -> None:
    beyond = [(-160.0, -120.0), (900.0, -120.0), (900.0, 1150.0), (-160.0, 1150.0)]
    sheet = list(UPRIGHT)
    sheet[corner] = beyond[corner]
    assert find_sheet(small_picture(shot((sheet[0], sheet[1], sheet[2], sheet[3])))) is None


def test_a_sheet_that_is_small_in_the_picture_is_not_found() -> None:
    assert find_sheet(small_picture(shot(((300, 300), (500, 300), (500, 600), (300, 600))))) is None


@pytest.mark.parametrize("angle", [0.0, 3.0, -11.0])
def test_a_plain_scan_has_no_sheet(angle: float) -> None:
    assert find_sheet(small_picture(turned(drawn_lines(), angle))) is None


def test_a_shadow_over_a_scan_is_no_table() -> None:
    shadow = np.linspace(1.0, 0.3, 900)[None, :, None]
    assert find_sheet(small_picture((drawn_lines() * shadow).astype(np.uint8))) is None


@pytest.mark.parametrize("line", [1, 3, 8, 24])
def test_a_frame_printed_on_a_page_is_no_sheet(line: int) -> None:
    page = Image.fromarray(drawn_lines())
    ImageDraw.Draw(page).rectangle((60, 60, 840, 1140), outline=(0, 0, 0), width=line)
    assert find_sheet(small_picture(np.asarray(page))) is None


def test_a_filled_box_printed_on_a_page_is_no_sheet() -> None:
    page = Image.fromarray(drawn_lines())
    draw = ImageDraw.Draw(page)
    draw.rectangle((100, 200, 800, 1000), fill=(90, 90, 90))
    draw.rectangle((150, 250, 750, 950), fill=(250, 250, 250))
    assert find_sheet(small_picture(np.asarray(page))) is None


def test_a_light_box_on_a_dark_page_with_print_around_it_is_no_sheet() -> None:
    page = Image.fromarray(drawn_lines(ink=235, paper=40))
    ImageDraw.Draw(page).rectangle((150, 250, 750, 950), fill=(250, 250, 250))
    assert find_sheet(small_picture(np.asarray(page))) is None


def test_a_table_without_a_sheet_has_none() -> None:
    assert find_sheet(small_picture((noise(1000, 720) // 8 + 50).astype(np.uint8))) is None


@pytest.mark.parametrize("pixels", ODD.values(), ids=ODD.keys())
def test_strange_pictures_have_no_sheet(pixels: Pixels) -> None:
    assert find_sheet(small_picture(pixels)) is None


@pytest.mark.parametrize("shape", [(60, 60), (61, 900), (900, 61)])
def test_small_pictures_have_no_sheet(shape: tuple[int, int]) -> None:
    picture = plain(*shape, 30)
    picture[10:-10, 10:-10] = 250
    found = find_sheet(small_picture(picture))
    assert found is None
