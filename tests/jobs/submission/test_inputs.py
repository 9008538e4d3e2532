import numpy as np
import pytest

from inference.core.contracts import TensorInput, TextInput, WorkRefused
from jobs.submission.inputs import input_kind, normal_form, work_input
from tenants.core.errors import InvalidRequest

TENSOR = {"name": "x", "datatype": "FP32", "shape": [2, 2], "data": [[1, 2], [3, 4.5]]}


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ("a text", "text"),
        ({"text": "a text"}, "text"),
        (["one", "two"], "texts"),
        ({"texts": ["one"]}, "texts"),
        ({"tensors": [TENSOR]}, "tensors"),
    ],
)
def test_every_way_to_write_an_input_has_one_stored_form(raw: object, kind: str) -> None:
    stored = normal_form(raw)
    assert input_kind(stored) == kind
    assert normal_form(stored) == stored


@pytest.mark.parametrize("raw", [7, None, True, {}, {"text": 7}, {"text": "a", "b": 1}, ["a", 1], {"texts": "a"}])
def test_anything_else_is_refused_with_what_was_got(raw: object) -> None:
    with pytest.raises(InvalidRequest, match="must be a string"):
        normal_form(raw)


@pytest.mark.parametrize(
    ("raw", "words"),
    [(["a", 1], "a list with 1 in it"), (["a", {}], "a list with an object in it"), (7, "the value 7")],
)
def test_what_was_got_is_named_as_in_json(raw: object, words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        normal_form(raw)


def test_a_single_text_stays_single() -> None:
    assert work_input({"text": "a"}) == TextInput(("a",), single=True)


def test_tensors_are_read_in_row_major_order() -> None:
    work = work_input({"tensors": [TENSOR]})
    assert isinstance(work, TensorInput)
    assert np.array_equal(work.tensors["x"], np.array([[1, 2], [3, 4.5]], np.float32))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"data": [1, 2, 3]}, "3 values"),
        ({"datatype": "FP8"}, "datatype"),
        ({"shape": [2, -2]}, "at most 16 sizes"),
        ({"data": ["1", "2", "3", "4"]}, "not FP32"),
        ({"datatype": "INT64", "data": [1.5, 2, 3, 4]}, "not INT64"),
        ({"datatype": "UINT8", "data": [1, 2, 3, 400]}, "not UINT8"),
        ({"data": [True, 1, 1, 1]}, "not FP32"),
        ({"data": [None, 1, 1, 1]}, "not FP32"),
        ({"name": 5}, "must be an object"),
    ],
)
def test_a_malformed_tensor_is_refused_in_words(change: dict[str, object], words: str) -> None:
    with pytest.raises(WorkRefused, match=words):
        work_input({"tensors": [{**TENSOR, **change}]})


def test_deep_nesting_is_refused_without_recursion() -> None:
    deep: list[object] = [1.0]
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(WorkRefused, match="deeper"):
        work_input({"tensors": [{**TENSOR, "shape": [1], "data": deep}]})
