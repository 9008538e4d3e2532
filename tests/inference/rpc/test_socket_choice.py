"""Test the choice among the workers of a machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.rpc.socket_choice import LEAST_OUTSTANDING, RANDOM, RESPONSE_TIME, STICKY, Candidate, choose

STRATEGIES = [STICKY, LEAST_OUTSTANDING, RESPONSE_TIME, RANDOM]
ROOMY = Candidate(room=9, outstanding=5, of_model=1, service_s=1.0)
IDLE = Candidate(room=2, outstanding=0, of_model=0, service_s=9.0)
FAST = Candidate(room=1, outstanding=6, of_model=3, service_s=0.1)
FULL = Candidate(room=0)


@pytest.mark.parametrize(
    ("strategy", "chosen"),
    [(STICKY, ROOMY), (LEAST_OUTSTANDING, IDLE), (RESPONSE_TIME, FAST), ("of another release", ROOMY)],
)
def test_each_strategy_chooses_by_its_own_measure(strategy: str, chosen: Candidate) -> None:
    candidates = [FULL, FAST, ROOMY, IDLE]
    at = choose(candidates, strategy, lambda: 0.0)
    assert at is not None
    assert candidates[at] is chosen


def test_a_worker_that_has_answered_nothing_is_tried() -> None:
    assert choose([FAST, Candidate(room=1)], RESPONSE_TIME, lambda: 0.0) == 1


@pytest.mark.parametrize(("drawn", "chosen"), [(0.0, 1), (0.49, 1), (0.5, 2), (0.99, 2)])
def test_at_random_every_worker_with_room_has_the_same_chance(drawn: float, chosen: int) -> None:
    assert choose([FULL, FAST, IDLE], RANDOM, lambda: drawn) == chosen


candidates = st.builds(
    Candidate, st.integers(-3, 9), st.integers(0, 20), st.integers(0, 20), st.sampled_from([0.0, 0.5, 2.0])
)


@given(st.lists(candidates, max_size=4), st.sampled_from(STRATEGIES), st.sampled_from([0.0, 0.3, 0.99]))
def test_only_a_worker_with_room_is_chosen_and_one_is_if_there_is_any(
    found: list[Candidate], strategy: str, drawn: float
) -> None:
    at = choose(found, strategy, lambda: drawn)
    assert (at is None) == all(one.room <= 0 for one in found)
    assert at is None or found[at].room > 0
