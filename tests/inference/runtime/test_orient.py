import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from inference.core.contracts import Json, PageInput, Pixels, TextLine, WorkOutput, WorkRefused
from inference.runtime.orient import MIN_ANGLE
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs
from tests.inference.runtime.pictures import LETTER, draw_page, picture_page

PROSE = (
    "The archive was opened in the spring of the year",
    "and holds letters, maps and the books of the house.",
    "Each of its rooms has a list of what is kept there,",
    "written by hand at first and later by machine.",
) * 5


def drawn(angle: float = 0.0) -> Pixels:
    """Return a page of prose on an A4 sheet at 100 dots per inch, askew clockwise by so many degrees."""
    picture = Image.new("RGB", (827, 1169), "white")
    draw = ImageDraw.Draw(picture)
    for row, line in enumerate(PROSE):
        draw.text((90, 100 + 44 * row), line, fill="black", font=ImageFont.load_default(size=22))
    return np.array(picture.rotate(-angle, Image.Resampling.BICUBIC, fillcolor="white"))


def orient(pixels: Pixels) -> WorkOutput:
    return builtin_engine().run(builtin_specs()["orient"], picture_page(pixels), {})


def turn_of(pixels: Pixels) -> tuple[Json, Json]:
    result = orient(pixels).result
    return result["rotation"], result["angle"]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_turn_that_makes_a_page_upright_is_told(rotation: int) -> None:
    pixels = np.ascontiguousarray(np.rot90(drawn(), rotation // 90))
    answer = orient(pixels)
    assert (answer.result["rotation"], answer.result["angle"], answer.result["sheet"]) == (rotation, 0.0, None)
    assert 0.6 <= answer.result["certainty"] <= 1
    assert answer.units.pages == 1


@pytest.mark.parametrize("angle", [0.4, -0.8, 3.0, -6.5, 12.0])
def test_skew_is_measured_to_a_fraction_of_a_degree(angle: float) -> None:
    rotation, measured = turn_of(drawn(angle))
    assert rotation == 0
    assert measured == pytest.approx(angle, abs=0.15)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_skew_is_that_of_the_page_after_its_turn(rotation: int) -> None:
    found, measured = turn_of(np.ascontiguousarray(np.rot90(drawn(2.0), rotation // 90)))
    assert (found, measured) == (rotation, pytest.approx(2.0, abs=0.2))


def test_skew_that_nobody_sees_is_left() -> None:
    assert turn_of(drawn(MIN_ANGLE / 2)) == (0, 0.0)


@pytest.mark.parametrize("shade", [255, 128, 0])
def test_sheet_without_ink_is_left_as_it_lies(shade: int) -> None:
    assert turn_of(np.full((400, 300, 3), shade, np.uint8)) == (0, 0.0)


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 900), (900, 1), (30, 3000), (3000, 30)])
def test_picture_of_any_shape_is_answered(height: int, width: int) -> None:
    rotation, angle = turn_of(np.full((height, width, 3), 200, np.uint8))
    assert rotation in (0, 90, 180, 270)
    assert angle == 0.0


def test_same_picture_has_the_same_turn_alone_and_again() -> None:
    page = draw_page(LETTER, angle=2.0)
    assert orient(page).result == orient(page).result


def test_page_without_a_picture_is_refused() -> None:
    page = PageInput(2, 0, 0, (TextLine("plain", None, 1.0),), load_pixels=None)
    with pytest.raises(WorkRefused, match="input_not_accepted: the page is plain text"):
        builtin_engine().run(builtin_specs()["orient"], page, {})
