"""Tests of the comparison of two ways to read the same pages."""

from collections.abc import Mapping

import numpy as np
import pytest

from inference.core.contracts import Json, Pixels
from inference.core.errors import ModelFailed
from inference.factory.readings import MEASURE, PageReadings, Read, ReadingComparison, TooLittleText, words_of

PAGE = np.zeros((40, 200, 3), np.uint8)
BOUNDS = {MEASURE: 0.01}


def line(text: str, left: float, right: float, *, words: Json = None) -> Mapping[str, Json]:
    return {"text": text, "box": [[left, 0], [right, 0], [right, 10], [left, 10]], "words": words}


def reading(*lines: Mapping[str, Json]) -> Read:
    return lambda pixels: {"lines": lines}


def failing(pixels: Pixels) -> Mapping[str, Json]:
    raise ModelFailed("model_output_not_finite", "text detection answered with NaN or infinity")


def compared(wrong: int, *, variant_s: float = 1.0) -> ReadingComparison:
    pages = [
        PageReadings("page 1", 1000, 0, exact_s=2.0, variant_s=variant_s),
        PageReadings("page 2", 1000, wrong, exact_s=2.0, variant_s=variant_s),
    ]
    return ReadingComparison(failing, failing, pages)


def test_a_line_that_the_other_splits_is_the_same_text() -> None:
    whole = line("one two", 0, 100, words=[[0.0, 0.4], [0.6, 1.0]])
    comparison = ReadingComparison(reading(whole), reading(line("two", 60, 100), line("one", 0, 40)))
    comparison.add("page 1", PAGE)
    page = comparison.pages[0]
    assert (page.characters, page.wrong) == (len("one two"), 0)


def test_other_characters_are_counted() -> None:
    comparison = ReadingComparison(reading(line("one two", 0, 100)), reading(line("one twö", 1, 99)))
    comparison.add("page 1", PAGE)
    assert comparison.pages[0].wrong == 1


def test_words_have_their_boxes() -> None:
    words = words_of(line("one two", 0, 100, words=[[0.0, 0.4], [0.6, 1.0]]))
    assert [text for text, _ in words] == ["one", "two"]
    assert words[1][1] == [[60, 0], [100, 0], [100, 10], [60, 10]]
    assert words_of(line("one two", 0, 100, words=[[0.0, 1.0]]))[0][0] == "one two"


def test_a_variant_within_its_bound_is_admitted() -> None:
    comparison = compared(wrong=20)
    verdict = comparison.judged(comparison.measured(min_characters=1000), BOUNDS)
    assert verdict.admitted
    assert comparison.speedup == 2.0


def test_a_variant_beyond_its_bound_is_refused_with_the_worst_page() -> None:
    comparison = compared(wrong=30)
    verdict = comparison.judged(comparison.measured(min_characters=1000), BOUNDS)
    assert [(reason.code, reason.value, reason.sample) for reason in verdict.reasons] == [(MEASURE, 0.015, "page 2")]


def test_a_variant_that_is_not_faster_is_refused() -> None:
    comparison = compared(wrong=0, variant_s=2.5)
    verdict = comparison.judged(comparison.measured(min_characters=1000), BOUNDS)
    assert [reason.code for reason in verdict.reasons] == ["not_faster"]
    assert verdict.reasons[0].detail == "a page takes 1.25 times the processor time of the exact networks"


def test_a_variant_that_fails_on_a_page_is_refused() -> None:
    comparison = ReadingComparison(reading(line("one", 0, 100)), failing)
    comparison.add("page 1", PAGE)
    verdict = comparison.judged(comparison.measured(min_characters=1), BOUNDS)
    assert [(reason.code, reason.sample) for reason in verdict.reasons] == [("does_not_run", "page 1")]


def test_pages_with_too_little_text_judge_nothing() -> None:
    with pytest.raises(TooLittleText, match=r"have 2,000 characters of text; at least 3,000 are needed"):
        compared(wrong=0).measured(min_characters=3000)
