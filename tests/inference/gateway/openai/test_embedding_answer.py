import base64
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.gateway.openai.embedding_answer import EmbeddingAnswer
from inference.runtime.tensors import Array, rounded

VECTORS = np.array([[0.6, 0.0, -0.8], [0.0, 1.0, 0.0]], np.float32)


def said(vectors: Array = VECTORS, *, in_base64: bool = False, dimensions: int | None = None) -> dict[str, Any]:
    answer = EmbeddingAnswer("embed@1", vectors, tokens=11, in_base64=in_base64, dimensions=dimensions)
    read: dict[str, Any] = json.loads(answer.written())
    return read


def vectors_in(answer: dict[str, Any]) -> list[Any]:
    return [one["embedding"] for one in answer["data"]]


def from_base64(text: str) -> Array:
    return np.frombuffer(base64.b64decode(text), "<f4")


def test_answer_is_openais_list_of_embeddings() -> None:
    assert said() == {
        "object": "list",
        "data": [
            {"object": "embedding", "index": 0, "embedding": [0.60000002, 0.0, -0.80000001]},
            {"object": "embedding", "index": 1, "embedding": [0.0, 1.0, 0.0]},
        ],
        "model": "embed@1",
        "usage": {"prompt_tokens": 11, "total_tokens": 11},
    }


@given(st.lists(st.floats(-1, 1, width=32) | st.sampled_from([1.0, -1.0, -0.0, 1e-9, -1e-9, 0.99999999])))
def test_floats_are_those_of_a_jobs_result(numbers: list[float]) -> None:
    vectors = np.array([numbers], np.float32)
    assert vectors_in(said(vectors)) == rounded(vectors).tolist()


@pytest.mark.parametrize("number", [8.9999999999, 9.0, -123456.5, 1e30])
def test_number_of_any_size_is_written(number: float) -> None:
    vectors = np.array([[number, 0.5]], np.float32)
    assert vectors_in(said(vectors)) == rounded(vectors).tolist()


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_number_that_json_has_not_is_never_written(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        said(np.array([[0.5, number]], np.float32))


def test_base64_holds_little_endian_float32() -> None:
    assert np.array_equal([from_base64(one) for one in vectors_in(said(in_base64=True))], VECTORS)


def test_vector_that_is_cut_has_length_one_again() -> None:
    assert vectors_in(said(dimensions=2)) == [[1.0, 0.0], [0.0, 1.0]]
    raw = vectors_in(said(in_base64=True, dimensions=2))
    assert [from_base64(one).tolist() for one in raw] == [[1.0, 0.0], [0.0, 1.0]]


def test_all_dimensions_leave_a_vector_as_it_is() -> None:
    assert said(dimensions=3) == said()


def test_vector_whose_first_numbers_are_zero_stays_zero_when_it_is_cut() -> None:
    assert vectors_in(said(dimensions=1)) == [[1.0], [0.0]]
