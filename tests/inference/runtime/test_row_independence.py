from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from inference.core.errors import ModelFailed
from inference.runtime.onnx_graph import RunsInTime, split_rows
from inference.runtime.row_independence import Run, find_row_independence, padded_to
from inference.runtime.row_proof import Proof
from inference.runtime.tensors import Array, TensorSpec

FREE = (TensorSpec("x", "FP32", (-1, 3)),)
OUT = (TensorSpec("y", "FP32", (-1, 3)),)


def of(run: Run) -> int | None:
    return find_row_independence(FREE, OUT, run).min_rows


def test_rows_that_leave_each_other_alone_may_share_a_run() -> None:
    assert of(lambda feeds: [feeds["x"] * 2]) == 1


@pytest.mark.parametrize(
    "mixing",
    [
        lambda x: x - x.mean(axis=0),
        lambda x: np.exp(x) / np.exp(x).sum(axis=0),
        lambda x: np.cumsum(x, axis=0),
        lambda x: x[::-1],
        lambda x: np.roll(x, 1, axis=0),
        lambda x: x + x.shape[0],
        lambda x: x[:1],
        lambda x: np.repeat(x, 2, axis=0),
        lambda x: x.sum(axis=0),
    ],
)
def test_a_graph_that_mixes_its_rows_runs_for_one_caller_at_a_time(mixing: Callable[[Array], Array]) -> None:
    assert of(lambda feeds: [mixing(feeds["x"])]) is None


@pytest.mark.parametrize(
    "mixing",
    [
        lambda x: x / 255 if x.max() > 1.5 else x,
        lambda x: x / 255 if x.max() > 100 else x,
        lambda x: x + max(0.0, float(x.max()) - 1000),
        lambda x: x * 2 if x.min() < -5000 else x,
        lambda x: x - x.mean() if (x == 0).all(axis=1).any() else x,
        lambda x: x + (len({row.tobytes() for row in x}) == 1),
    ],
)
def test_a_graph_that_mixes_rows_by_their_values_is_found_out(mixing: Callable[[Array], Array]) -> None:
    assert of(lambda feeds: [mixing(feeds["x"]).astype(np.float32)]) is None


@pytest.mark.parametrize("datatype", ["UINT8", "INT32", "INT64"])
def test_whole_numbers_are_tried_over_their_range(datatype: str) -> None:
    tensor = TensorSpec("x", datatype, (-1, 3))

    def run(feeds: Mapping[str, Array]) -> Sequence[Array]:
        x = feeds["x"]
        return [x // 2 if x.max() > 100 else x]

    assert not find_row_independence((tensor,), (tensor,), run).batchable


def test_numbers_that_are_no_index_show_nothing() -> None:
    ids = (TensorSpec("ids", "INT64", (-1, 3)),)
    table = np.arange(10, dtype=np.float32)

    def run(feeds: Mapping[str, Array]) -> Sequence[Array]:
        if feeds["ids"].max() > 9 or feeds["ids"].min() < 0:
            raise ModelFailed("model_run_failed", "indices element out of data bounds")
        return [table[feeds["ids"]]]

    assert find_row_independence(ids, OUT, run).min_rows == 1


def test_rows_that_only_a_trial_kept_apart_are_shared_where_the_operator_says_so() -> None:
    def run(feeds: Mapping[str, Array]) -> Sequence[Array]:
        return [feeds["x"]]

    unproven = find_row_independence(FREE, OUT, run, proof=Proof(False, "ReduceMax: it works along the rows"))
    assert (unproven.may_share(unproven=False), unproven.may_share(unproven=True)) == (False, True)
    assert "ReduceMax: it works along the rows" in unproven.reason
    proven = find_row_independence(FREE, OUT, run, proof=Proof(True, ""))
    assert proven.may_share(unproven=False)


def test_no_word_of_an_operator_shares_rows_that_were_seen_to_mix() -> None:
    found = find_row_independence(
        FREE, OUT, lambda feeds: [feeds["x"] - feeds["x"].mean(axis=0)], proof=Proof(True, "")
    )
    assert not found.may_share(unproven=True)


@pytest.mark.parametrize(("differ", "min_rows"), [([1], 2), (range(16, 99), None)], ids=["one row", "many rows"])
def test_a_graph_whose_last_bits_differ_for_one_row_is_padded_and_for_many_is_not_shared(
    differ: Sequence[int], min_rows: int | None
) -> None:
    def run(feeds: Mapping[str, Array]) -> Sequence[Array]:
        twice = feeds["x"] * 2
        return [np.nextafter(twice, np.float32(np.inf)) if len(twice) in differ else twice]

    assert of(run) == min_rows


LONG = (TensorSpec("x", "FP32", (-1, -1)),)


def test_a_graph_that_mixes_only_long_rows_runs_for_one_caller_at_a_time() -> None:
    def run(feeds: Mapping[str, Array]) -> Sequence[Array]:
        return [feeds["x"] - feeds["x"].mean(axis=0) if feeds["x"].shape[1] >= 8 else feeds["x"]]

    assert not find_row_independence(LONG, LONG, run).batchable


@pytest.mark.parametrize("error", [ModelFailed("model_run_failed", "of four columns"), TimeoutError("late")])
def test_larger_rows_that_a_graph_does_not_take_in_time_show_nothing(error: Exception) -> None:
    def run(feeds: Mapping[str, Array]) -> Sequence[Array]:
        if feeds["x"].shape != (5, 4) and len(feeds["x"]) > 4:
            raise error
        return [feeds["x"]]

    assert find_row_independence(LONG, LONG, run).min_rows == 1


def test_a_run_that_would_end_too_late_is_not_begun() -> None:
    now_s = 0.0
    counts: list[int] = []

    def run(feeds: Mapping[str, Array]) -> list[Array]:
        nonlocal now_s
        now_s += 0.1 * len(feeds["x"])
        counts.append(len(feeds["x"]))
        return [feeds["x"]]

    in_time = RunsInTime(run, 3.0, lambda: now_s)
    assert find_row_independence(FREE, OUT, in_time, proof=Proof(True, "")).min_rows == 1
    assert max(counts) == 5
    with pytest.raises(TimeoutError):
        in_time({"x": np.zeros((32, 3), np.float32)})


def test_many_rows_are_tried_only_where_they_are_small() -> None:
    """The memory that a trial takes is counted as the model's."""
    counts: list[int] = []

    def run(feeds: Mapping[str, Array]) -> Sequence[Array]:
        counts.append(len(feeds["x"]))
        return [feeds["x"]]

    for width in (300_000, 100_000, 10):
        wide = (TensorSpec("x", "FP32", (-1, width)),)
        assert find_row_independence(wide, wide, run).min_rows == 1
        assert max(counts) == {300_000: 5, 100_000: 10, 10: 32}[width]


def test_not_a_number_is_the_same_as_itself() -> None:
    assert of(lambda feeds: [np.full_like(feeds["x"], np.nan)]) == 1


def test_a_graph_that_takes_no_rows_of_our_making_runs_for_one_caller_at_a_time() -> None:
    def run(feeds: Mapping[str, Array]) -> Sequence[Array]:
        raise ModelFailed("model_run_failed", "index out of range")

    found = find_row_independence(FREE, OUT, run)
    assert not found.batchable
    assert "index out of range" in found.reason


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ((TensorSpec("x", "FP32", (1, 3)),), OUT),
        (FREE, (TensorSpec("y", "FP32", (3,)),)),
        (FREE, (TensorSpec("y", "FP32", ()),)),
        ((*FREE, TensorSpec("scale", "FP32", ())), OUT),
    ],
)
def test_a_graph_with_a_fixed_number_of_rows_is_not_even_tried(
    inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec]
) -> None:
    def run(feeds: Mapping[str, Array]) -> Sequence[Array]:
        raise AssertionError

    assert not find_row_independence(inputs, outputs, run).batchable


@pytest.mark.parametrize("datatype", ["BOOL", "BYTES", "INT64", "UINT8", "FP16", "FP64"])
def test_rows_of_every_type_are_tried(datatype: str) -> None:
    tensor = TensorSpec("x", datatype, (-1, -1, 2))
    assert find_row_independence((tensor,), (tensor,), lambda feeds: [feeds["x"]]).batchable


def test_callers_get_their_own_rows_and_never_the_padding() -> None:
    answer = np.arange(8).reshape(4, 2)
    first, second = split_rows([answer], [1, 2], min_rows=4)
    assert first[0].tolist() == [[0, 1]]
    assert second[0].tolist() == [[2, 3], [4, 5]]


@pytest.mark.parametrize("rows", [2, 4])
def test_an_answer_with_rows_too_many_or_too_few_reaches_nobody(rows: int) -> None:
    with pytest.raises(ModelFailed) as failure:
        split_rows([np.zeros((rows, 2))], [1, 2], min_rows=1)
    assert failure.value.code == "model_output_invalid"


def test_padding_repeats_the_last_row() -> None:
    assert padded_to(np.array([[1], [2]]), 4).tolist() == [[1], [2], [2], [2]]
