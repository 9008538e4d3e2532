import numpy as np
import pytest

from inference.scaling.pool import PoolTerms, Promise, Taming
from jobs.simulation.comparison import PolicyName, run_with
from jobs.simulation.outcome import Outcome, max_within, peak_together
from jobs.simulation.policies import Static
from jobs.simulation.pool_run import PoolTrace, run_pool
from jobs.simulation.shapes import Diurnal, Rise, Work, arrivals

HOUR_S = 3600.0


def trace_of(rate: float, *, hours: float = 6, losses: float = 0.0, rises: tuple[Rise, ...] = ()) -> PoolTrace:
    rng = np.random.default_rng(5)
    times = arrivals(Diurnal(rate, peak=1.5), hours * HOUR_S, rng, rises)
    terms = PoolTerms(
        Promise(0.95, 30), 2.0, node_start_s=100, load_s=20, taming=Taming(up_share=1.0, down_share=0.1), most=200
    )
    return PoolTrace("pool", times, Work(2.0).draw(len(times), rng), terms, hours * HOUR_S, spot_losses_per_hour=losses)


def test_a_fixed_number_costs_its_hours() -> None:
    run = run_pool(trace_of(1.0), Static(4), tick_s=15)
    assert run.replica_hours == pytest.approx(4 * 6, rel=0.02)
    assert run.cost == 2 * run.replica_hours
    assert (run.peak, run.missed) == (4, 0)


def test_all_requests_begin_once() -> None:
    trace = trace_of(3.0)
    assert len(run_with(PolicyName.OURS, trace, tick_s=15).waits) == len(trace.arrivals)


def test_what_never_begins_is_missed() -> None:
    trace = trace_of(3.0)
    run = run_pool(trace, Static(0), tick_s=60)
    assert run.missed == len(trace.arrivals)


def test_ours_keeps_the_promise_for_little_more_than_the_work_costs() -> None:
    trace = trace_of(10.0)
    run = run_with(PolicyName.OURS, trace, tick_s=15)
    assert run.missed <= 0.05 * len(trace.arrivals)
    assert run.replica_hours < 1.3 * trace.work.sum() / HOUR_S
    assert max_within(run.turned, 300) <= 1


def test_the_smallest_fixed_number_keeps_the_promise_and_one_less_does_not() -> None:
    trace = trace_of(10.0)
    run = run_with(PolicyName.STATIC, trace, tick_s=15)
    allowed = 0.05 * len(trace.arrivals)
    assert run.missed <= allowed
    assert run_pool(trace, Static(run.peak - 1), tick_s=15).missed > allowed


def test_lost_replicas_are_replaced_and_their_work_is_done_again() -> None:
    trace = trace_of(10.0, losses=2.0)
    run = run_with(PolicyName.OURS, trace, tick_s=15)
    assert run.lost > 50
    assert len(run.waits) == len(trace.arrivals)


def test_the_same_seed_gives_the_same_run() -> None:
    first, second = (run_with(PolicyName.OURS, trace_of(5.0, losses=1.0), tick_s=15) for _ in range(2))
    assert np.array_equal(first.waits, second.waits)
    assert first.replica_s == second.replica_s


def test_figures_of_several_pools_are_added() -> None:
    runs = [run_pool(trace_of(rate), Static(30), tick_s=15) for rate in (1.0, 5.0)]
    told = Outcome("two", PolicyName.STATIC, runs).as_json()
    assert told["requests"] == sum(len(run.waits) for run in runs)
    assert told["replica_hours"] == pytest.approx(sum(run.replica_hours for run in runs))
    assert told["peak_replicas"] == 60
    assert peak_together([]) == 0
    assert "all" in Outcome("two", PolicyName.STATIC, runs).table()


def test_a_peak_of_several_pools_is_that_of_one_moment() -> None:
    early, late = (run_pool(trace_of(1.0), Static(1), tick_s=15) for _ in range(2))
    early.counts = [(0.0, 1), (100.0, 5), (200.0, 1), (300.0, 0)]
    late.counts = [(0.0, 1), (200.0, 3), (400.0, 0)]
    assert peak_together([early, late]) == 6
    assert peak_together([early]) == 5


def test_turns_are_counted_by_window() -> None:
    assert max_within([], 300) == 0
    assert max_within([0, 300, 600], 300) == 1
    assert max_within([0, 299, 600, 700, 800], 300) == 3


@pytest.mark.parametrize("peak", [1.2, 2.0, 2.2, 3.0])
def test_a_day_has_its_mean_and_its_peak(peak: float) -> None:
    rates = Diurnal(10.0, peak).rates(np.arange(0, 86_400.0, 10))
    assert rates.mean() == pytest.approx(10, rel=0.001)
    assert rates.max() == pytest.approx(10 * peak, rel=0.001)
    assert rates.min() >= 0
