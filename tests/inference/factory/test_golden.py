from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.factory.golden import GoldenSet, of_samples
from inference.factory.samples import Sample, SampleInvalid, cut, digest
from inference.runtime.tensors import NodeArg

ROWS = (NodeArg("x", "tensor(float)", ("rows", 2)),)
TEXTS = (NodeArg("text", "tensor(string)", (None, 1)),)
PICTURE = (NodeArg("x", "tensor(float)", (1, None)),)


def digests(samples: Sequence[Sample]) -> set[bytes]:
    return {digest(row) for sample in samples for row in cut(sample.feeds)}


def of_numbers(numbers: Sequence[int]) -> GoldenSet:
    return of_samples([{"x": np.array([[number, 0]], np.float32)} for number in numbers], ROWS)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=80))
def test_no_row_is_in_both_halves(numbers: list[int]) -> None:
    golden = of_numbers(numbers)
    calibration, held_out = digests(golden.calibration), digests(golden.held_out)
    assert not calibration & held_out
    assert len(calibration | held_out) == len(set(numbers))
    assert held_out


@given(st.lists(st.integers(0, 40), min_size=4, max_size=80, unique=True), st.randoms())
def test_the_half_of_a_row_follows_from_its_content(numbers: list[int], random: object) -> None:
    golden, other = of_numbers(numbers), of_numbers(numbers[::-1])
    assert digests(golden.held_out) == digests(other.held_out)
    assert golden.digest == other.digest
    assert abs(len(digests(golden.held_out)) - len(digests(golden.calibration))) <= 1


def test_a_row_in_a_batch_is_the_same_row_alone() -> None:
    batch = np.arange(20, dtype=np.float32).reshape(10, 2)
    together = of_samples([{"x": batch}], ROWS)
    apart = of_samples([{"x": batch[row : row + 1]} for row in range(10)], ROWS)
    assert digests(together.held_out) == digests(apart.held_out)


def test_runs_have_one_row_and_many_rows() -> None:
    golden = of_numbers(range(3000))
    sizes = [sample.rows for sample in golden.held_out]
    assert {1, 2, 3, 8, 33, 1024} <= set(sizes)
    assert sum(sizes) == golden.held_out_rows == 2500
    assert len({sample.name for sample in golden.held_out}) == len(golden.held_out)


def test_texts_are_split_like_numbers() -> None:
    golden = of_samples([{"text": np.array([[word]], object)} for word in ("a", "b", "ab", "", "ba", "é")], TEXTS)
    assert not digests(golden.calibration) & digests(golden.held_out)
    assert golden.held_out_rows == 3


def test_a_model_without_free_rows_keeps_its_samples_whole() -> None:
    golden = of_samples([{"x": np.full((1, size), size, np.float32)} for size in range(2, 10)], PICTURE)
    assert golden.held_out_rows == 4
    assert all(sample.rows == 1 for sample in golden.held_out)


def test_too_few_rows_to_split_are_all_held_out() -> None:
    golden = of_numbers([1, 2, 3])
    assert golden.held_out_rows == 3
    assert not golden.calibration


@pytest.mark.parametrize(
    ("feeds", "message"),
    [
        ({"y": np.zeros((1, 2), np.float32)}, "has the inputs"),
        ({"x": np.zeros((1, 3), np.float32)}, "has the shape"),
        ({"x": np.zeros(2, np.float32)}, "has the shape"),
    ],
)
def test_a_sample_that_does_not_fit_is_named(feeds: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(SampleInvalid, match=f"sample 1 of 'sample'.*{message}"):
        of_samples([feeds], ROWS)


def test_inputs_of_a_sample_have_the_same_number_of_rows() -> None:
    two = (*ROWS, NodeArg("z", "tensor(float)", ("rows", 2)))
    with pytest.raises(SampleInvalid, match="number of rows"):
        of_samples([{"x": np.zeros((1, 2), np.float32), "z": np.zeros((2, 2), np.float32)}], two)


def test_a_golden_set_without_rows_is_refused() -> None:
    with pytest.raises(SampleInvalid, match="no rows"):
        of_samples([], ROWS)
