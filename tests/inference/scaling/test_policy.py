from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.scaling.policy import decide
from inference.scaling.pool import Expected, PoolNow, PoolTerms, Promise, Spike

TERMS = PoolTerms(Promise(0.95, 30), node_start_s=180, load_s=40)


def expected(rate: float, spread: float = 0.0) -> Expected:
    return Expected(7.5, (rate,) * 63, spread, usual_rate=rate, per_day=rate * 86_400)


def needed(now: PoolNow, terms: PoolTerms = TERMS, rate: float = 10.0) -> int:
    return decide(now, terms, expected(rate)).needed


def test_there_are_a_few_more_than_what_comes_needs() -> None:
    assert 36 <= needed(PoolNow(0.0, ready=35, service_s=3.5)) <= 42


def test_without_traffic_the_least_are_enough() -> None:
    assert needed(PoolNow(0.0, ready=5), rate=0.0) == 1
    assert needed(PoolNow(0.0, ready=5), replace(TERMS, least=3), rate=0.0) == 3
    assert needed(PoolNow(0.0, ready=5), replace(TERMS, least=0), rate=0.0) == 0


def test_callers_who_found_no_replica_find_one_when_they_come_again() -> None:
    assert needed(PoolNow(0.0, expects_callers=True), replace(TERMS, least=0), rate=0.0) == 1


def test_a_rise_that_is_foreseen_is_begun_as_early_as_the_pace_of_the_pool_demands() -> None:
    calm = PoolNow(0.0, ready=8, service_s=3.5)
    later = replace(expected(2.0), later=(2.0,) * 5 + (10.0,))
    (there, *_), wanted = decide(calm, TERMS, expected(2.0)).reasons, decide(calm, TERMS, later)
    assert needed(calm, rate=2.0) < 20
    # 41 are needed in ten minutes, and two more may come in each two minutes.
    assert wanted.needed == 31
    assert "can grow in time" in wanted.reasons[0]
    assert "can grow in time" not in there


def test_what_is_foreseen_to_be_needed_soon_is_what_its_highest_rate_wants() -> None:
    calm = PoolNow(0.0, ready=50, service_s=3.5)
    assert decide(calm, TERMS, expected(2.0)).soon == 0
    soon, later = (replace(expected(2.0), later=(2.0,) * times + (10.0,) * 9) for times in (5, 6))
    assert decide(calm, TERMS, soon).soon == needed(calm, rate=10.0)
    assert decide(calm, TERMS, later).soon == needed(calm, rate=2.0)


@pytest.mark.parametrize("rate", [0.05, 0.5, 2.0, 20.0])
def test_of_flat_traffic_no_more_is_needed_soon_than_now(rate: float) -> None:
    flat = replace(expected(rate), later=(rate,) * 30)
    wanted = decide(PoolNow(0.0, ready=200, service_s=3.5), TERMS, flat)
    assert wanted.soon <= wanted.replicas


def test_replicas_that_start_already_are_not_ordered_again() -> None:
    line = PoolNow(0.0, waiting_work_s=4000, oldest_wait_s=60, ready=30, service_s=3.5)
    ordered = needed(line)
    assert ordered > 35
    started = replace(line, starting_s=(200.0,) * (ordered - 30))
    assert needed(started) <= ordered + 1


def test_a_line_that_is_done_before_help_could_come_orders_none() -> None:
    quiet = PoolNow(0.0, ready=37, service_s=3.5)
    assert needed(replace(quiet, waiting_work_s=100, oldest_wait_s=3)) == needed(quiet)


def test_a_line_already_too_late_is_still_done() -> None:
    """All its promises are missed whatever comes. It must not wait for ever because nothing can be saved any more."""
    late = PoolNow(0.0, waiting_work_s=50_000, oldest_wait_s=1500, ready=30, service_s=3.5)
    assert needed(late, replace(TERMS, missed_cost=0.0001)) >= 35
    assert needed(late) > 50


def test_a_dearer_replica_gets_less_spare() -> None:
    now = PoolNow(0.0, ready=36, service_s=3.5)
    cheap, dear = (replace(TERMS, price_per_hour=price, missed_cost=0.05) for price in (0.1, 100.0))
    assert needed(now, cheap) > needed(now, dear)


def test_more_are_needed_where_predictions_are_worse() -> None:
    now = PoolNow(0.0, ready=36, service_s=3.5)
    assert decide(now, TERMS, expected(10, 0.3)).needed > decide(now, TERMS, expected(10, 0.02)).needed


def test_a_spike_that_must_be_absorbed_is_prepared_for() -> None:
    strict = PoolTerms(Promise(0.99, 60), node_start_s=120, load_s=20, spike=Spike(10))
    now = PoolNow(0.0, ready=12, service_s=0.5)
    with_spike, without = needed(now, strict, 20), needed(now, replace(strict, spike=None), 20)
    assert without <= 14
    assert 3 * without < with_spike < 10 * without
    # The more often it comes, the less of it may be missed.
    assert needed(now, replace(strict, spike=Spike(10, per_day=10)), 20) > with_spike


def test_reasons_name_the_work_and_what_is_expected() -> None:
    reasons = decide(PoolNow(0.0, ready=3, starting_s=(5.0,), service_s=2), TERMS, expected(2)).reasons
    assert "4.0 s of work come in a second at most" in reasons
    assert any("3 replicas are ready, 1 start" in reason for reason in reasons)


@pytest.mark.parametrize("values", [(0.0, 30), (1.0, 30), (0.95, 0)])
def test_a_promise_that_means_nothing_is_refused(values: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="promise must be"):
        Promise(*values)


@given(
    rate=st.floats(0, 200),
    spread=st.floats(0, 1),
    waiting=st.floats(0, 1e6),
    oldest=st.floats(0, 1e4),
    ready=st.integers(0, 300),
    least=st.integers(0, 5),
    slots=st.integers(1, 8),
)
def test_the_number_is_always_within_the_limits(  # noqa: PLR0917
    rate: float, spread: float, waiting: float, oldest: float, ready: int, least: int, slots: int
) -> None:
    terms = replace(TERMS, least=least, most=200, slots=slots)
    now = PoolNow(0.0, waiting_work_s=waiting, oldest_wait_s=oldest, ready=ready, service_s=0.7)
    assert least <= decide(now, terms, expected(rate, spread)).replicas <= 200


def test_a_spike_never_needs_more_than_the_pool_may_have() -> None:
    small = PoolTerms(Promise(0.99, 60), node_start_s=120, load_s=20, spike=Spike(10), most=20)
    wanted = decide(PoolNow(0.0, ready=12, service_s=0.5), small, expected(20))
    assert wanted.replicas == 20 < wanted.needed
    assert any("with 20," in reason for reason in wanted.reasons)
