from functools import cache
from typing import Any

import numpy as np
import pytest
from rapidocr import RapidOCR

from inference.core.contracts import Json, PageInput, Pixels, TextLine, WorkOutput, WorkRefused
from maas.local.demo import sample
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs
from tests.inference.runtime.pictures import LETTER, draw_page, picture_page
from tests.samples.images import drawn_page

PICTURES = {
    "upright": draw_page(LETTER),
    "slanted": draw_page(LETTER, angle=2.0),
    "small": draw_page(LETTER, width=500, height=540, size=16),
    "large": draw_page(LETTER, width=1700, height=2400, size=40),
    "one wide line": draw_page(LETTER[5:6], width=900, height=120)[30:100],
}


def read(pixels: Pixels, **parameters: Json) -> WorkOutput:
    return builtin_engine().run(builtin_specs()["read"], picture_page(pixels), parameters)


@cache
def rapidocr() -> RapidOCR:
    return RapidOCR(params={"Global.log_level": "error"})


@pytest.mark.long
@pytest.mark.parametrize("name", PICTURES)
def test_text_and_boxes_are_those_of_the_rapidocr_package(name: str) -> None:
    pixels = PICTURES[name]
    # The package takes arrays for BGR. Its answer is one of four classes, and Any avoids checks for the three others.
    expected: Any = rapidocr()(np.ascontiguousarray(pixels[:, :, ::-1]), use_cls=False)
    lines = read(pixels).result["lines"]
    assert [line["text"] for line in lines] == list(expected.txts)
    # The package looks at the whole page in full, and we look at the part with ink, smaller if the page is large.
    off = np.abs(np.array([line["box"] for line in lines]) - expected.boxes).max(axis=(1, 2))
    assert (off <= 0.15 * (expected.boxes[:, 3, 1] - expected.boxes[:, 0, 1])).all()
    # The package pads a text line to the widest of its batch, so its confidence depends on the other lines.
    assert np.allclose([line["confidence"] for line in lines], expected.scores, atol=0.05)


def test_lines_come_in_reading_order_with_boxes_on_the_page() -> None:
    answer = read(PICTURES["upright"])
    assert answer.result["text"] == "\n".join(LETTER)
    assert (answer.result["width"], answer.result["height"]) == (900, 640)
    assert answer.units.pages == 1
    boxes = np.array([line["box"] for line in answer.result["lines"]])
    assert boxes.shape == (len(LETTER), 4, 2)
    assert boxes.min() >= 0
    assert (boxes.max(axis=(0, 1)) <= [900, 640]).all()
    assert (np.diff(boxes[:, 0, 1]) > 0).all()


def test_blank_page_succeeds_with_nothing_on_it() -> None:
    answer = read(np.full((400, 300, 3), 255, np.uint8))
    assert answer.result == {
        "text": "",
        "lines": [],
        "unread": [],
        "upside_down": False,
        "width": 300,
        "height": 400,
    }
    assert answer.units.pages == 1


@pytest.mark.parametrize(
    "text",
    [
        "Page 1" + "\n" * 36 + "seen",
        *(
            pytest.param(text, marks=pytest.mark.long)
            for text in ("Hello world", "Total 42.00", "approved", "Page 1", "Signed: Anna")
        ),
    ],
)
def test_few_words_alone_on_a_clean_page_are_read_where_they_are(text: str) -> None:
    answer = read(np.asarray(drawn_page(text)))
    lines = answer.result["lines"]
    assert [line["text"] for line in lines] == text.split("\n" * 36)
    assert min(line["confidence"] for line in lines) > 0.9
    left, top = lines[0]["box"][0]
    assert 118 < left <= 143
    assert 140 < top < 165


def test_columns_of_figures_stay_apart() -> None:
    gray = np.asarray(sample.draw_page(1))[420:1000]
    words = read(np.stack([gray] * 3, axis=-1)).result["text"].split()
    for figures in (("40", "120.00"), ("16", "720.00")):
        assert words[words.index(figures[0]) + 1] == figures[1]
    assert {"18.50", "858.50", "171.70", "1030.20"} <= set(words)


def test_lines_below_the_asked_confidence_are_left_out() -> None:
    picture = draw_page(LETTER[:3], width=640, height=240)
    everything = read(picture, min_confidence=0.0).result["lines"]
    bar = sorted(line["confidence"] for line in everything)[2]
    kept = read(picture, min_confidence=bar).result["lines"]
    assert kept == [line for line in everything if line["confidence"] >= bar]
    assert 0 < len(kept) < len(everything)


def test_page_without_a_picture_is_refused() -> None:
    page = PageInput(2, 0, 0, (TextLine("plain", None, 1.0),), load_pixels=None)
    with pytest.raises(WorkRefused, match="input_not_accepted: the page is plain text"):
        builtin_engine().run(builtin_specs()["read"], page, {})
