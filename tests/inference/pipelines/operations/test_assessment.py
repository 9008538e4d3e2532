from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from inference.core.contracts import Json, PageInput, Pixels, TextLine
from inference.pipelines.operations import OPERATIONS
from tests.inference.runtime.pictures import LETTER, draw_page, picture_page

ASSESS = OPERATIONS["assess"]


def line(text: str = "A line of a page", *, confidence: float = 0.99, top: float = 100.0) -> TextLine:
    return TextLine(text, ((60.0, top), (400.0, top), (400.0, top + 30), (60.0, top + 30)), confidence)


def assess(page: PageInput, lines: Sequence[TextLine], *, certainty: float = 1.0, **settings: Json) -> dict[str, Any]:
    inputs = {"page": page, "lines": tuple(lines), "unread": [], "certainty": certainty}
    found: dict[str, Any] = ASSESS.run(inputs, ASSESS.complete(settings))
    return found


def blank() -> Pixels:
    return np.full((640, 900, 3), 250, np.uint8)


def test_clean_page_needs_no_review() -> None:
    found = assess(picture_page(draw_page(LETTER)), [line(text) for text in LETTER])
    assert found["quality"] > 0.9
    assert (found["needs_review"], found["warnings"]) == (False, [])


def test_page_that_was_hard_to_read_needs_review() -> None:
    found = assess(picture_page(draw_page(LETTER)), [line(text, confidence=0.6) for text in LETTER])
    assert found["quality"] < 0.1
    assert found["needs_review"] is True
    assert [warning["code"] for warning in found["warnings"]] == ["low_confidence"]


def test_the_quality_below_which_a_page_needs_review_can_be_set() -> None:
    lines = [line(text, confidence=0.955) for text in LETTER]
    page = picture_page(draw_page(LETTER))
    quality = assess(page, lines)["quality"]
    assert assess(page, lines, review_below=quality)["needs_review"] is False
    assert assess(page, lines, review_below=1)["needs_review"] is True


@pytest.mark.parametrize(
    ("lines", "certainty", "code"),
    [([line()], 0.3, "doubtful_order"), ([line(), line("Text at the edge", top=0.0)], 1.0, "cut_off")],
)
def test_some_warnings_need_review_whatever_the_quality(lines: list[TextLine], certainty: float, code: str) -> None:
    found = assess(picture_page(draw_page(LETTER)), lines, certainty=certainty)
    assert found["quality"] > 0.9
    assert found["needs_review"] is True
    assert [warning["code"] for warning in found["warnings"]] == [code]


def test_blank_page_is_told_from_one_whose_marks_could_not_be_read() -> None:
    assert [warning["code"] for warning in assess(picture_page(blank()), [])["warnings"]] == ["blank"]
    drawn = blank()
    drawn[200:300, 200:210] = 0
    found = assess(picture_page(drawn), [])
    assert [warning["code"] for warning in found["warnings"]] == ["nearly_blank"]
    assert found["needs_review"] is True
    assert assess(picture_page(blank()), [])["needs_review"] is False


NOISE = np.random.default_rng(1).integers(0, 256, (640, 900, 3), dtype=np.uint8)


@pytest.mark.parametrize("pixels", [np.zeros((640, 900, 3), np.uint8), np.full((640, 900, 3), 40, np.uint8), NOISE])
def test_page_that_is_dark_or_noise_all_over_is_not_called_blank(pixels: Pixels) -> None:
    found = assess(picture_page(pixels), [])
    assert [warning["code"] for warning in found["warnings"]] == ["nearly_blank"]
    assert found["needs_review"] is True


def test_page_with_nothing_but_its_number_needs_no_review() -> None:
    found = assess(picture_page(blank()), [line("Page 7")])
    assert ([warning["code"] for warning in found["warnings"]], found["needs_review"]) == (["nearly_blank"], False)


def test_picture_of_a_page_with_text_of_its_own_is_not_decoded() -> None:
    def never() -> Pixels:
        raise AssertionError("the picture was decoded")

    lines = (line("Written", confidence=1.0),)
    assert assess(PageInput(1, 900, 640, lines, never), lines)["warnings"] == []
    assert assess(PageInput(1, 900, 640, (), never), ())["warnings"] == []
