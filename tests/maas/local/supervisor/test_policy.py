"""Tests of when a child that has ended is started again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maas.local.supervisor.policy import RestartPolicy, after_exit

POLICY = RestartPolicy(first_delay_s=0.5, longest_delay_s=30.0, healthy_after_s=30.0)


@pytest.mark.parametrize(
    ("failures_before", "ran_s", "failures", "delay_s"),
    [(0, 1.0, 1, 0.5), (1, 1.0, 2, 1.0), (5, 1.0, 6, 16.0), (6, 1.0, 7, 30.0), (6, 30.0, 0, 0.0)],
)
def test_delay_doubles_until_a_child_has_run_for_a_while(
    failures_before: int, ran_s: float, failures: int, delay_s: float
) -> None:
    restart = after_exit(POLICY, failures_before, ran_s)
    assert (restart.failures, restart.delay_s) == (failures, delay_s)


@given(st.integers(0, 10**9), st.floats(0, 30.0, exclude_max=True))
def test_delay_stays_within_its_bounds(failures_before: int, ran_s: float) -> None:
    assert 0.5 <= after_exit(POLICY, failures_before, ran_s).delay_s <= 30.0
