"""Test when a pool without workers will have one, and what callers get until then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.scaling.next_worker import NOT_KNOWN, UNKNOWN_S, NextWorker, is_expected_back, next_worker


@pytest.mark.parametrize(
    ("follows", "wanted", "due_in_s", "age_s", "left_s"),
    [
        (True, 0, (), 1.0, 90.0),  # This call orders a worker.
        (True, 2, (50.0, 80.0), 2.0, 48.0),
        (True, 1, (1.0,), 14.0, 0.0),
        (True, 1, (), 1.0, None),  # It was ordered so long ago that nobody counts on it.
        (False, 0, (), 1.0, None),
        (False, 1, (70.0,), 0.0, 70.0),  # A fixed number, or a worker that loads its first model.
        (True, 1, (50.0,), -3.0, 50.0),  # The clock of the scheduler is ahead.
    ],
)
def test_what_is_left_of_the_lead(
    follows: bool, wanted: int, due_in_s: tuple[float, ...], age_s: float, left_s: float | None
) -> None:
    found = next_worker(follows=follows, wanted=wanted, due_in_s=due_in_s, lead_s=90.0, age_s=age_s)
    assert found.left_s == left_s


def test_a_caller_is_told_the_truth_and_when_to_come_again() -> None:
    assert (NextWorker(41.2).retry_after_s, "in 42 s" in NextWorker(41.2).message) == (42, True)
    assert (NextWorker(0.0).retry_after_s, "is late" in NextWorker(0.0).message) == (5, True)
    assert (NextWorker(None).retry_after_s, "none is known to be starting" in NextWorker(None).message) == (
        UNKNOWN_S,
        True,
    )
    assert (NOT_KNOWN.retry_after_s, "starting" in NOT_KNOWN.message) == (UNKNOWN_S, False)


@given(st.floats(0, 7200), st.floats(0, 600))
def test_the_caller_comes_again_when_the_worker_is_there_and_still_expected(node_s: float, load_s: float) -> None:
    lead_s = node_s + load_s
    again_s = NextWorker(lead_s).retry_after_s
    assert again_s >= lead_s
    assert is_expected_back(sent_away_s=0.0, at_s=again_s, lead_s=lead_s)
    assert not is_expected_back(sent_away_s=0.0, at_s=lead_s + 121, lead_s=lead_s)
