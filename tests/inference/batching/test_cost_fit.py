import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.batching.cost_fit import MAX_SIZES, PRIOR, Coefficients, CostFit

RUNS = st.lists(st.tuples(st.integers(1, 128), st.integers(1, 512), st.floats(1e-5, 30.0)), min_size=1, max_size=40)


def learn(fit: CostFit, runs: list[tuple[int, int, float]]) -> CostFit:
    for rows, length, run_s in runs:
        fit = fit.after(rows, rows * length, run_s)
    return fit


def batches(*, fixed_s: float, row_s: float, padded_s: float, count: int) -> list[tuple[int, int, float]]:
    rng = np.random.default_rng(7)
    made = []
    for _ in range(count):
        rows, length = int(rng.integers(1, 65)), int(rng.integers(5, 200))
        exact_s = fixed_s + row_s * rows + padded_s * rows * length
        made.append((rows, length, exact_s * float(rng.uniform(1.0, 1.1))))
    return made


def test_before_the_first_run_the_prior_is_the_fit() -> None:
    assert CostFit().predict(1, 1) == PRIOR.predict(1, 1)


def test_one_run_already_sets_the_scale() -> None:
    fit = CostFit().after(4, 40, 2.0)
    assert fit.predict(4, 40) == pytest.approx(2.0, rel=0.05)
    assert fit.predict(8, 80) > fit.predict(4, 40)


@pytest.mark.parametrize(
    ("fixed_s", "row_s", "padded_s"),
    [(0.03, 0.0001, 0.0), (0.001, 0.0, 0.00002), (0.0, 0.002, 0.0), (0.2, 0.01, 0.001)],
)
def test_it_finds_what_runs_cost(fixed_s: float, row_s: float, padded_s: float) -> None:
    fit = learn(CostFit(), batches(fixed_s=fixed_s, row_s=row_s, padded_s=padded_s, count=300))
    for rows, length in [(1, 100), (64, 10), (32, 190), (8, 50)]:
        exact_s = fixed_s + row_s * rows + padded_s * rows * length
        assert fit.predict(rows, rows * length) == pytest.approx(exact_s, rel=0.3)


def test_a_first_run_that_is_ten_times_slower_is_forgiven() -> None:
    runs = batches(fixed_s=0.01, row_s=0.001, padded_s=0.00001, count=60)
    rows, length, run_s = runs[0]
    late = learn(CostFit(), [(rows, length, 10 * run_s), *runs[1:]])
    assert late.predict(32, 3200) == pytest.approx(learn(CostFit(), runs).predict(32, 3200), rel=0.25)


def test_single_outliers_hardly_move_it() -> None:
    fit = learn(CostFit(), batches(fixed_s=0.01, row_s=0.001, padded_s=0.00001, count=200))
    before_s = fit.predict(32, 3200)
    assert fit.after(32, 3200, 1000 * before_s).predict(32, 3200) < 1.35 * before_s


def test_it_follows_a_machine_that_became_slower() -> None:
    usual = batches(fixed_s=0.01, row_s=0.001, padded_s=0.00001, count=200)
    slower = [(rows, length, 5 * run_s) for rows, length, run_s in usual]
    fit = learn(learn(CostFit(), usual), slower * 3)
    assert fit.predict(32, 3200) == pytest.approx(5 * (0.01 + 0.032 + 0.032), rel=0.35)


def test_a_long_time_of_single_rows_does_not_make_it_forget_large_batches() -> None:
    fit = learn(CostFit(), [(64, 1, 0.040), (32, 1, 0.024)] * 8)
    fit = learn(fit, [(1, 1, 0.0085)] * 500)
    assert fit.predict(64, 64) == pytest.approx(0.040, rel=0.25)


def test_a_share_of_a_full_batch_counts_the_run_itself_too() -> None:
    fit = CostFit(1, {}, Coefficients(1.0, 0.1, 0.01))
    assert fit.share(16, 32, of_rows=64) == pytest.approx(1.6 + 0.32 + 0.25)
    assert fit.share(128, 128, of_rows=64) == pytest.approx(12.8 + 1.28 + 1.0)


@pytest.mark.parametrize("run_s", [0.0, -1.0, float("nan"), float("inf")])
def test_what_is_no_time_teaches_nothing(run_s: float) -> None:
    fit = CostFit().after(2, 20, 0.01)
    assert fit.after(2, 20, run_s) is fit


@given(runs=RUNS)
def test_no_coefficient_is_ever_negative_and_more_never_costs_less(
    runs: list[tuple[int, int, float]],
) -> None:
    fit = learn(CostFit(), runs)
    cost = fit.coefficients
    assert min(cost.fixed_s, cost.row_s, cost.padded_s) >= 0
    assert np.isfinite([cost.fixed_s, cost.row_s, cost.padded_s]).all()
    assert fit.predict(3, 30) <= fit.predict(4, 30) <= fit.predict(4, 31)
    assert fit.predict(1, 1) > 0


@given(runs=RUNS)
def test_a_restart_goes_on_where_the_fit_was(runs: list[tuple[int, int, float]]) -> None:
    fit = learn(CostFit(), runs)
    restored = CostFit.restored(json.loads(json.dumps(fit.saved())))
    assert restored.observations == fit.observations
    again, on = (known.after(3, 33, 0.02).predict(5, 50) for known in (restored, fit))
    assert again == pytest.approx(on, rel=0.3)


def test_what_is_kept_is_bounded() -> None:
    fit = CostFit()
    for rows_bits in range(12):
        for length_bits in range(12):
            fit = fit.after(1 << rows_bits, 1 << (rows_bits + length_bits), 0.01)
    assert len(fit.sizes) == MAX_SIZES
    assert len(json.dumps(fit.saved())) < 5000


@pytest.mark.parametrize(
    ("saved", "says"),
    [
        ({"form": 9}, "form 9 cannot be read"),
        ({}, "form None cannot be read"),
        ({"form": 1, "observations": 1}, "damaged: KeyError"),
        ({"form": 1, "observations": 1, "sizes": [[1, 1, -1, 1, 1]]}, "is no batch that was run"),
        ({"form": 1, "observations": 1, "sizes": [[1, 1, 1, 1, 5]]}, "was not seen"),
        ({"form": 1, "observations": 1, "sizes": [[1]]}, "damaged: ValueError"),
    ],
)
def test_what_was_not_saved_by_us_is_refused(saved: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        CostFit.restored(saved)
