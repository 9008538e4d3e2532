from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.batching.cost_fit import REFIT_EVERY, CostFit
from inference.batching.cut_cost import IN_FORCE, SETTLED
from inference.batching.size_seen import STALE_AFTER

Cost = Callable[[int, int], float]
Size = tuple[int, int]
"""Rows, and their length."""
SETTLES = 20 * REFIT_EVERY
FOUR, EIGHT, SIXTEEN, THIRTY_TWO = (4, 80), (8, 80), (16, 80), (32, 80)


def learn(cost: Cost, sizes: Sequence[Size], runs: int = SETTLES, *, fit: CostFit | None = None) -> CostFit:
    """Batches of these sizes in turns."""
    fit = fit or CostFit()
    for number in range(runs):
        rows, length = sizes[number % len(sizes)]
        fit = fit.after(rows, rows * length, cost(rows, rows * length))
    return fit


def cut_s(fit: CostFit, size: Size) -> float:
    rows, length = size
    return fit.cut_s(rows, rows * length)


def out_of_cache(rows: int, padded: int) -> float:
    """A token takes a third longer where a batch has more than a thousand of them."""
    return 0.002 + padded * (0.0001 if padded < 1000 else 0.000133)


def bound_by_memory(rows: int, padded: int) -> float:
    """As measured with weights of 143 MB."""
    return float(np.interp(rows, [1, 16, 64], [0.009, 0.0192, 0.064]))


def test_a_size_from_which_on_tokens_get_dearer_is_cheaper_in_parts() -> None:
    fit = learn(out_of_cache, [FOUR, EIGHT, SIXTEEN, THIRTY_TWO])
    assert cut_s(fit, SIXTEEN) < 0
    assert cut_s(fit, THIRTY_TWO) < 0
    assert cut_s(fit, EIGHT) == fit.coefficients.fixed_s


def test_a_run_costs_nothing_more_where_parts_take_as_long_as_the_whole() -> None:
    def no_gain_beyond_eight(rows: int, padded: int) -> float:
        return 0.02 + 0.0001 * padded if rows <= 8 else 0.000131 * padded

    fit = learn(no_gain_beyond_eight, [(1, 80), (2, 80), EIGHT, SIXTEEN])
    assert 0 <= cut_s(fit, SIXTEEN) < 0.5 * fit.coefficients.fixed_s


@settings(max_examples=50)
@given(
    fixed_s=st.floats(0, 0.1),
    row_s=st.floats(0, 0.01),
    padded_s=st.floats(0, 0.001),
    sizes=st.lists(st.tuples(st.integers(1, 64), st.integers(1, 300)), min_size=2, max_size=12),
)
def test_where_costs_are_a_straight_line_no_size_is_dearer_than_its_parts(
    fixed_s: float, row_s: float, padded_s: float, sizes: list[Size]
) -> None:
    def straight(rows: int, padded: int) -> float:
        return 0.00001 + fixed_s + row_s * rows + padded_s * padded

    fit = learn(straight, sizes)
    assert all(cut.cost_s >= 0 for cut in fit.cuts.values())
    if all(
        straight(rows, rows * length) == pytest.approx(fit.predict(rows, rows * length), rel=0.02)
        for rows, length in sizes
    ):
        assert not fit.cuts


def test_one_size_that_is_dearer_does_not_stand_in_the_way_of_a_larger_one_that_is_cheaper() -> None:
    def sixteen_is_slow(rows: int, padded: int) -> float:
        return 0.002 + 0.0001 * padded * (1.3 if rows == 16 else 1.0)

    fit = learn(sixteen_is_slow, [FOUR, EIGHT, SIXTEEN, THIRTY_TWO])
    assert cut_s(fit, SIXTEEN) == fit.coefficients.fixed_s


def test_without_smaller_batches_of_about_that_length_nothing_is_known() -> None:
    fit = learn(out_of_cache, [SIXTEEN, THIRTY_TWO, (4, 20), (8, 20), (2, 240)])
    assert not fit.cuts


@pytest.mark.parametrize("seed", range(5))
def test_noise_of_forty_percent_holds_nothing_against_batches_that_pay(seed: int) -> None:
    rng = np.random.default_rng(seed)
    fit = CostFit()
    for _ in range(1500):
        rows = int(rng.choice([1, 16, 24, 40, 64]))
        fit = fit.after(rows, rows, bound_by_memory(rows, rows) * float(rng.uniform(0.6, 1.4)))
        assert fit.cut_s(64, 64) >= 0


def test_a_few_slow_runs_are_held_against_no_size() -> None:
    sizes = [FOUR, EIGHT, SIXTEEN]
    fit = learn(lambda rows, padded: 0.002 + 0.0001 * padded, sizes)
    fit = learn(out_of_cache, sizes, (IN_FORCE - 1) * REFIT_EVERY, fit=fit)
    assert cut_s(fit, SIXTEEN) == fit.coefficients.fixed_s


def test_what_is_no_longer_true_ends_by_new_runs() -> None:
    sizes = [FOUR, EIGHT, SIXTEEN]
    fit = learn(out_of_cache, sizes)
    fit = learn(lambda rows, padded: 0.002 + 0.0001 * padded, sizes, (SETTLED + 2) * REFIT_EVERY, fit=fit)
    assert cut_s(fit, SIXTEEN) == fit.coefficients.fixed_s


def test_a_size_that_nobody_runs_any_more_is_tried_again() -> None:
    fit = learn(out_of_cache, [FOUR, EIGHT, SIXTEEN])
    assert cut_s(fit, SIXTEEN) < 0
    fit = learn(out_of_cache, [FOUR, EIGHT], STALE_AFTER + REFIT_EVERY, fit=fit)
    assert cut_s(fit, SIXTEEN) == fit.coefficients.fixed_s
