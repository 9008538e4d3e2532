from collections.abc import Mapping

import numpy as np
import pytest

from inference.runtime.fixed_size_runs import (
    WHOLE_LENGTHS,
    WHOLE_ROWS,
    RunRows,
    in_whole_runs,
    whole_length,
    whole_rows,
)
from inference.runtime.tensors import Array
from inference.runtime.texts import WINDOW_TOKENS


def like_a_gpu(sizes: list[int]) -> RunRows:
    """Return a run function whose answer shows how many rows were in the run."""

    def run(feeds: Mapping[str, Array]) -> list[Array]:
        sizes.append(len(feeds["x"]))
        return [feeds["x"] * (1 + 1e-7 * len(feeds["x"])), feeds["x"].sum(axis=1)]

    return run


def rows(count: int) -> dict[str, Array]:
    return {"x": np.random.default_rng(count).standard_normal((count, 3))}


@pytest.mark.parametrize("count", [1, 2, WHOLE_ROWS - 1, WHOLE_ROWS, WHOLE_ROWS + 1, 4 * WHOLE_ROWS])
def test_every_run_has_the_same_size_and_every_row_its_own_answer(count: int) -> None:
    sizes: list[int] = []
    run, feeds = in_whole_runs(like_a_gpu(sizes)), rows(count)
    together = run(feeds)
    alone = [run({"x": feeds["x"][row : row + 1]}) for row in range(count)]
    assert set(sizes) == {WHOLE_ROWS}
    assert [len(answer) for answer in together] == [count, count]
    for place, answer in enumerate(together):
        assert np.array_equal(answer, np.concatenate([one[place] for one in alone]))


def test_answer_with_another_number_of_rows_is_left_for_those_who_count_them() -> None:
    (answer,) = in_whole_runs(lambda feeds: [feeds["x"][:5]])(rows(5 + 2))
    assert len(answer) == 5
    (answer,) = in_whole_runs(lambda feeds: [feeds["x"].sum(axis=0, keepdims=True)])(rows(5))
    assert len(answer) == 1


def test_texts_of_every_length_have_a_run_of_one_size() -> None:
    for tokens in range(1, WINDOW_TOKENS + 1):
        length = whole_length(tokens)
        assert tokens <= length
        assert length in WHOLE_LENGTHS
        assert whole_rows(length) >= 1
