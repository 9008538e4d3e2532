from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from inference.core.contracts import Json, PageInput, Pixels, Quad, TextLine
from inference.pipelines.operations import OPERATIONS


def upright(page: PageInput, *, rotation: int = 0, angle: float = 0.0, sheet: Json = None) -> PageInput:
    turned: PageInput = OPERATIONS["upright_page"].run(
        {"page": page, "rotation": rotation, "angle": angle, "sheet": sheet}, {}
    )
    return turned


def page_of(pixels: Pixels) -> PageInput:
    height, width = pixels.shape[:2]
    return PageInput(3, width, height, None, lambda: pixels)


def marked() -> Pixels:
    """A white picture, 60 wide and 40 high, with a black upper left corner."""
    pixels = np.full((40, 60, 3), 255, np.uint8)
    pixels[:10, :10] = 0
    return pixels


def load(page: PageInput) -> Pixels:
    assert page.load_pixels is not None
    return page.load_pixels()


@pytest.mark.parametrize(
    ("rotation", "size", "corner"), [(90, (40, 60), (0, -1)), (180, (60, 40), (-1, -1)), (270, (40, 60), (-1, 0))]
)
def test_page_is_turned_clockwise(rotation: int, size: tuple[int, int], corner: tuple[int, int]) -> None:
    page = upright(page_of(marked()), rotation=rotation)
    assert (page.number, page.width_px, page.height_px) == (3, *size)
    assert load(page).shape == (size[1], size[0], 3)
    assert load(page)[corner].tolist() == [0, 0, 0]


def test_upright_page_stays_the_same() -> None:
    page = page_of(marked())
    assert upright(page) is page


def test_page_without_a_picture_stays_the_same() -> None:
    page = PageInput(1, 60, 40, None, None)
    assert upright(page, rotation=90) is page


@pytest.mark.parametrize(("rotation", "right"), [(0, 180), (90, 270), (180, 0), (270, 90)])
def test_page_whose_lines_are_upside_down_is_turned_over(rotation: int, right: int) -> None:
    run = OPERATIONS["way_up"].run
    assert run({"rotation": rotation, "upside_down": True}, {}) == right
    assert run({"rotation": rotation, "upside_down": False}, {}) == rotation


def test_sheet_is_cut_out() -> None:
    page = upright(page_of(marked()), sheet=[[0, 0], [20, 0], [20, 30], [0, 30]])
    assert (page.width_px, page.height_px) == (20, 30)
    assert load(page).shape == (30, 20, 3)


def test_skew_makes_room_for_the_corners() -> None:
    page = upright(page_of(marked()), angle=10.0)
    assert page.width_px > 60
    assert page.height_px > 40
    assert load(page).shape == (page.height_px, page.width_px, 3)


def test_picture_is_turned_once_and_only_if_it_is_needed() -> None:
    loads = []

    def pixels() -> Pixels:
        loads.append(1)
        return marked()

    page = upright(PageInput(1, 60, 40, None, pixels), rotation=90)
    assert loads == []
    assert load(page) is load(page)
    assert loads == [1]


def quad(left: float, top: float, right: float, bottom: float) -> Quad:
    return (left, top), (right, top), (right, bottom), (left, bottom)


def lay_out(lines: Sequence[TextLine], height: float = 1400.0) -> dict[str, Any]:
    found: dict[str, Any] = OPERATIONS["layout"].run({"lines": tuple(lines), "height": height, "tables": []}, {})
    return found


TWO_COLUMNS = [
    TextLine(f"{side} {row} of a column of text", quad(left, 300 + 40 * row, left + 400, 328 + 40 * row), 0.99)
    for row in range(8)
    for side, left in (("Left", 80.0), ("Right", 560.0))
]


def test_lines_come_in_reading_order_and_blocks_number_them_so() -> None:
    found = lay_out(TWO_COLUMNS)
    sides = [line.text.split()[0] for line in found["lines"]]
    assert sides == ["Left"] * 8 + ["Right"] * 8
    assert [number for block in found["blocks"] for number in block["lines"]] == list(range(16))
    assert found["text"].index("Left 7") < found["text"].index("Right 0")


def test_lines_of_a_paragraph_are_joined_and_blocks_parted_by_an_empty_line() -> None:
    rows = [(300, "A paragraph that goes on over"), (340, "two printed lines."), (500, "Another one.")]
    found = lay_out([TextLine(text, quad(80, top, 480, top + 28), 0.99) for top, text in rows])
    assert found["text"] == "A paragraph that goes on over two printed lines.\n\nAnother one."
    assert [block["lines"] for block in found["blocks"]] == [[0, 1], [2]]
    assert found["certainty"] == 1.0


def test_boxes_of_recognized_lines_are_laid_out_without_their_margins() -> None:
    place = quad(80, 300, 480, 340)
    (recognized,) = lay_out([TextLine("A recognized line", place, 0.98)])["blocks"]
    (written,) = lay_out([TextLine("A line of a text layer", place, 1.0)])["blocks"]
    assert written["box"] == [[80, 300], [480, 300], [480, 340], [80, 340]]
    assert recognized["box"] == [[90, 306], [470, 306], [470, 334], [90, 334]]


def test_text_without_places_is_laid_out_by_its_empty_lines() -> None:
    lines = [TextLine(text, None, 1.0) for text in ("one", "two", "", "three")]
    found = lay_out(lines, height=0)
    assert (found["text"], found["certainty"]) == ("one\ntwo\n\nthree", 1.0)
    assert found["lines"] == tuple(lines)
    assert [block["lines"] for block in found["blocks"]] == [[0, 1], [3]]


def test_page_without_lines_has_no_blocks() -> None:
    assert lay_out([]) == {"text": "", "lines": (), "blocks": [], "certainty": 1.0}
