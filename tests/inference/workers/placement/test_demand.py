"""Test for how long a model has been in demand, when callers follow one another."""

import pytest

from inference.workers.placement.demand import GAP_S, UnbrokenWaits
from inference.workers.placement.fleet import Demand
from tests.inference.workers.placement.clocks import Clock

CALLER = Demand(1, 0.5)
"""The demand of a caller whose deadline is so short that no look sees the caller twice."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def waits(clock: Clock) -> UnbrokenWaits:
    return UnbrokenWaits(clock)


def oldest_s(waits: UnbrokenWaits, told: Demand | None = CALLER, held: frozenset[str] = frozenset()) -> float:
    demand = {} if told is None else {"cold@1": told}
    return waits.of(demand, held).get("cold@1", Demand(0, 0.0)).oldest_s


def test_callers_who_follow_one_another_wait_together(clock: Clock, waits: UnbrokenWaits) -> None:
    for seconds in range(60):
        assert oldest_s(waits) == max(CALLER.oldest_s, seconds)
        clock.pass_s(1)


def test_who_has_waited_for_longer_than_anybody_looked_has_waited_so_long(waits: UnbrokenWaits) -> None:
    assert oldest_s(waits, Demand(3, 40.0)) == 40.0


@pytest.mark.parametrize(("gap_s", "expected_s"), [(GAP_S, 10 + GAP_S), (GAP_S + 1, CALLER.oldest_s)])
def test_a_short_gap_is_none_and_after_a_long_one_the_wait_begins_anew(
    gap_s: float, expected_s: float, clock: Clock, waits: UnbrokenWaits
) -> None:
    oldest_s(waits)
    clock.pass_s(10)
    oldest_s(waits, None)
    clock.pass_s(gap_s)
    oldest_s(waits, None)
    assert oldest_s(waits) == expected_s


def test_a_look_that_comes_late_is_no_gap(clock: Clock, waits: UnbrokenWaits) -> None:
    oldest_s(waits)
    clock.pass_s(100)
    assert oldest_s(waits) == 100


def test_what_is_held_waits_as_long_as_its_oldest_page(clock: Clock, waits: UnbrokenWaits) -> None:
    oldest_s(waits)
    clock.pass_s(30)
    assert oldest_s(waits, held=frozenset({"cold@1"})) == CALLER.oldest_s
    assert oldest_s(waits) == CALLER.oldest_s
