"""Test tensors that pass through a shared file."""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from inference.model_host.confined.transfer import (
    TensorsTooLarge,
    layout_of,
    put,
    read_descriptions,
    take,
    write_descriptions,
)
from inference.model_host.confined.values import ITEMS, Array


@pytest.fixture
def shared() -> Iterator[int]:
    descriptor = os.memfd_create("shared")
    yield descriptor
    os.close(descriptor)


def passed(shared: int, tensors: list[Array]) -> list[Array]:
    descriptions = write_descriptions(put(shared, tensors, 10_000))
    return take(shared, read_descriptions(descriptions, 10_000))


TENSORS: list[Array] = [
    *(np.arange(6).astype(dtype).reshape(2, 3) for dtype in ITEMS.values()),
    np.array([[np.nan, -0.0], [np.inf, 5e-324]]),
    np.array(3.5, np.float32),
    np.empty((0, 7), np.float16),
    np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1),
    np.array(["", "ä", "日本", "a\0b"], object),
    np.array([b"", b"\xff\x00"], object),
    np.empty(0, object),
]


@pytest.mark.parametrize("tensor", TENSORS, ids=lambda tensor: f"{tensor.dtype}{list(tensor.shape)}")
def test_a_tensor_comes_out_as_it_went_in(tensor: Array, shared: int) -> None:
    (taken,) = passed(shared, [tensor])
    assert taken.shape == tensor.shape
    assert taken.dtype == tensor.dtype
    assert taken.tobytes() == tensor.tobytes() if tensor.dtype != object else taken.tolist() == tensor.tolist()


def test_tensors_lie_one_after_another(shared: int) -> None:
    taken = passed(shared, TENSORS)
    assert [tensor.shape for tensor in taken] == [tensor.shape for tensor in TENSORS]


def test_what_was_taken_does_not_change_with_the_file(shared: int) -> None:
    (taken,) = passed(shared, [np.ones(4)])
    put(shared, [np.zeros(4)], 1000)
    assert taken.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("tensors", [[np.ones(126), np.ones(0)], [np.array(["a" * 1000], object)]])
def test_too_much_is_not_written(tensors: list[Array], shared: int) -> None:
    with pytest.raises(TensorsTooLarge):
        put(shared, tensors, 1000)
    assert os.fstat(shared).st_size == 0


@pytest.mark.parametrize(
    "said",
    [
        None,
        3,
        [3],
        [["FP32", [1]]],
        [["FP32", [1], "4"]],
        [["FP32", [1], -4]],
        [["FP32", [True], 4]],
        [["FP32", "1", 4]],
        [["FP32", [1.0], 4]],
        [[["FP32"], [1], 4]],
        [["BOOL", [4], 4]],
        [["FP32", [4], 16], ["FP32", [1], 4]],
        [["FP32", [0], 0]] * 257,
    ],
)
def test_a_wrong_description_is_a_value_error(said: Any, shared: int) -> None:
    os.pwrite(shared, b"\x02" * 16, 0)
    with pytest.raises(ValueError, match=r"\w"):
        take(shared, read_descriptions(said, 1000))


def test_only_numbers_have_a_layout() -> None:
    assert layout_of([np.ones((2, 3)), np.ones(0, np.int8)]) == ((np.dtype(float), (2, 3)), (np.dtype("i1"), (0,)))
    assert layout_of([np.ones(2), np.array(["a"], object)]) is None
