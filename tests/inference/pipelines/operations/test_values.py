import numpy as np
import pytest

from inference.core.contracts import Embedding, PageInput, TextLine, WorkRefused
from inference.pipelines.operations.values import (
    JSON,
    NULL,
    NUMBER,
    PAGE,
    TEXT,
    ValueType,
    as_json,
    described,
    joined,
    object_of,
    tensor_of,
    type_at,
    value_at,
)

ONNX = object_of({"output.1": NUMBER, "scores": object_of({"a": TEXT})})


def test_names_with_dots_are_found_whole_first() -> None:
    assert type_at(ONNX, "output.1") == NUMBER
    assert type_at(ONNX, "scores.a") == TEXT
    assert type_at(ONNX, "output") is None
    assert value_at({"output.1": 7, "scores": {"a": "x"}}, "output.1") == 7
    assert value_at({"output.1": 7, "scores": {"a": "x"}}, "scores.a") == "x"


@pytest.mark.parametrize("name", PAGE.fields)
def test_everything_that_a_page_says_of_itself_can_be_read(name: str) -> None:
    page = PageInput(1, 30, 40, (TextLine(" ", None, 1.0),), None)
    expected = {
        "has_text": True,
        "has_scans": False,
        "has_items": False,
        "is_blank": True,
        "text": " ",
        "width": 30,
        "height": 40,
    }
    assert value_at(page, name) == expected.get(name, page.text_lines)


def test_text_of_a_picture_is_refused() -> None:
    with pytest.raises(WorkRefused, match="the page is an image without text"):
        value_at(PageInput(1, 30, 40, None, None), "text")


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (TEXT, TEXT, TEXT),
        (TEXT, NUMBER, JSON),
        (TEXT, PAGE, None),
        (object_of({"a": TEXT, "b": NUMBER}), object_of({"a": TEXT}), object_of({"a": TEXT})),
        (tensor_of("FP32", shape=(1, 2)), tensor_of("FP32", shape=(1, 3)), ValueType("tensor")),
    ],
)
def test_of_two_sides_only_what_both_have_is_known(one: ValueType, other: ValueType, both: ValueType | None) -> None:
    assert joined(one, other) == both
    assert joined(other, one) == both


def test_what_may_be_null_is_not_taken_for_what_may_not() -> None:
    perhaps = joined(TEXT, NULL)
    assert perhaps is not None
    assert str(perhaps) == "text or null"
    assert not perhaps.fits(TEXT)
    assert TEXT.fits(perhaps)


@pytest.mark.parametrize(
    ("given", "wanted", "fits"),
    [
        (tensor_of("FP32", shape=(1, 3)), tensor_of("FP32", shape=(-1, 3)), True),
        (tensor_of("FP32", shape=(1, 3)), tensor_of("FP32", shape=(1, 4)), False),
        (tensor_of("FP32", shape=(1, 3)), tensor_of("FP32", shape=(3,)), False),
        (tensor_of("FP32"), tensor_of("FP16", "FP32"), True),
        (tensor_of("INT8"), tensor_of("FP16", "FP32"), False),
        (tensor_of(), tensor_of("FP32"), False),
        (tensor_of("FP32", shape=None), tensor_of("FP32", shape=(3,)), True),
    ],
)
def test_tensors_fit_by_datatype_and_known_sizes(given: ValueType, wanted: ValueType, fits: bool) -> None:
    assert given.fits(wanted) is fits


def test_answers_are_json() -> None:
    value = {"a": Embedding("d", (1.0,)), "b": np.ones((1, 2), np.float32), "c": (TextLine("x", None, 1.0),)}
    assert as_json(value) == {
        "a": [1.0],
        "b": {"name": "b", "shape": [1, 2], "datatype": "FP32", "data": [1.0, 1.0]},
        "c": [{"text": "x", "box": None, "confidence": 1.0}],
    }


def test_answers_are_described_as_signatures_are() -> None:
    answer = object_of({"best": object_of({"label": TEXT, "score": NUMBER}), "y": tensor_of("FP16", shape=(1, 2))})
    assert described(answer) == [
        {"name": "best.label", "datatype": "BYTES", "shape": [1]},
        {"name": "best.score", "datatype": "FP64", "shape": [1]},
        {"name": "y", "datatype": "FP16", "shape": [1, 2]},
    ]
