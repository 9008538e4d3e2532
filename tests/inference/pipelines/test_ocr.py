"""Test the built-in pipeline `ocr`: whichever way up a page lies, the same text is read."""

import json

import numpy as np
import pytest
from PIL import Image

from inference.core.contracts import Json, PageInput, Pixels, TextLine, WorkOutput, WorkRefused
from inference.pictures.righting import Righting
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs
from tests.inference.runtime.pictures import LETTER, draw_page, picture_page

PAGE = draw_page(LETTER)


def ocr(pixels: Pixels, **parameters: Json) -> WorkOutput:
    return builtin_engine().run(builtin_specs()["ocr"], picture_page(pixels), parameters)


def texts(answer: WorkOutput) -> list[str]:
    return [line["text"] for line in answer.result["lines"]]


def turned(pixels: Pixels, rotation: int) -> Pixels:
    """Return the picture as it lies before it is turned clockwise by so many degrees to be upright."""
    return np.ascontiguousarray(np.rot90(pixels, rotation // 90))


def slanted(pixels: Pixels, degrees: float) -> Pixels:
    """Return the picture as it lies if it is askew clockwise by so many degrees."""
    rotated = Image.fromarray(pixels).rotate(-degrees, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
    return np.array(rotated)


def test_upright_page_is_left_as_it_lies() -> None:
    answer = ocr(PAGE)
    assert texts(answer) == list(LETTER)
    assert answer.result["text"].split() == " ".join(LETTER).split()
    result = answer.result
    assert (result["rotation"], result["angle"], result["sheet"]) == (0, 0.0, None)
    assert (result["width"], result["height"]) == (900, 640)
    assert (answer.units.pages, answer.units.tokens) == (1, 0)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_turned_page_comes_back_upright_with_the_same_text(rotation: int) -> None:
    answer = ocr(turned(PAGE, rotation))
    assert (answer.result["rotation"], answer.result["angle"]) == (rotation, 0.0)
    assert (answer.result["width"], answer.result["height"]) == (900, 640)
    assert answer.result["text"] == ocr(PAGE).result["text"]
    assert texts(answer) == list(LETTER)


@pytest.mark.parametrize(("rotation", "degrees"), [(0, 4.0), (0, -7.0), (90, 3.0), (180, -2.0)])
def test_page_askew_comes_back_level_with_the_same_text(rotation: int, degrees: float) -> None:
    answer = ocr(turned(slanted(PAGE, degrees), rotation))
    assert answer.result["rotation"] == rotation
    assert answer.result["angle"] == pytest.approx(degrees, abs=0.3)
    assert texts(answer) == list(LETTER)
    tops = [[corner[1] for corner in line["box"]] for line in answer.result["lines"]]
    assert max(abs(top[0] - top[1]) for top in tops) <= 4


def test_boxes_lie_on_the_upright_picture_and_lead_back_to_the_stored_one() -> None:
    stored = turned(PAGE, 90)
    result = ocr(stored).result
    righting = Righting(stored.shape[1], stored.shape[0], result["rotation"], result["angle"], result["sheet"])
    assert righting.shown_size == (result["width"], result["height"])
    for line in result["lines"]:
        (left, top), (right, bottom) = (righting.on_stored([line["box"][corner]])[0] for corner in (0, 2))
        across, down = sorted((int(left), int(right))), sorted((int(top), int(bottom)))
        inside = stored[down[0] : down[1], across[0] : across[1]]
        assert (inside < 128).mean() > 0.05


def test_blocks_number_all_lines_in_reading_order() -> None:
    result = ocr(PAGE).result
    assert [number for block in result["blocks"] for number in block["lines"]] == list(range(len(LETTER)))
    assert {block["type"] for block in result["blocks"]} <= {"heading", "paragraph"}


def test_blank_page_is_told_as_blank() -> None:
    result = ocr(np.full((300, 200, 3), 255, np.uint8)).result
    assert (result["text"], result["lines"], result["blocks"]) == ("", [], [])
    assert (result["quality"], result["needs_review"]) == (1.0, False)
    assert [warning["code"] for warning in result["warnings"]] == ["blank"]


def test_clean_page_is_of_high_quality_and_a_ruined_one_needs_review() -> None:
    assert ocr(PAGE).result["quality"] > 0.9
    noise = np.random.default_rng(7).normal(0, 60, PAGE.shape)
    small = Image.fromarray(np.clip(PAGE + noise, 0, 255).astype(np.uint8)).resize((150, 107)).resize((900, 640))
    result = ocr(np.array(small), min_confidence=0.0).result
    assert result["quality"] < 0.6
    assert result["needs_review"] is True
    assert "low_confidence" in {warning["code"] for warning in result["warnings"]}


def test_asked_confidence_reaches_the_reading_of_lines() -> None:
    assert len(ocr(PAGE, min_confidence=1.0).result["lines"]) < len(LETTER)


def test_answer_is_json() -> None:
    answer = ocr(PAGE).result
    assert json.loads(json.dumps(answer)) == answer


def test_page_without_a_picture_is_refused() -> None:
    page = PageInput(2, 0, 0, (TextLine("plain", None, 1.0),), load_pixels=None)
    with pytest.raises(WorkRefused, match="input_not_accepted: step 'orient': the page is plain text"):
        builtin_engine().run(builtin_specs()["ocr"], page, {})
